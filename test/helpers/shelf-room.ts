import { randomBytes } from 'node:crypto';
import type { FileShelf } from '../../daemon/transports/file-shelf.js';
import type { ShelfOptions } from '../../daemon/transports/shelf/shelf-state.js';
import { createShelf } from '../../daemon/transports/shelf.js';
import { tempFolder } from './temp.js';

/** A shelf on a folder of its own. */
export interface ShelfRoom {
  readonly folder: string;
  readonly shelf: FileShelf;
}

/** Makes a shelf for a test; its clock is the real one unless another is given. */
export function shelfRoom(options: Partial<ShelfOptions> = {}, folder: string = tempFolder()): ShelfRoom {
  const shelf = createShelf(folder, {
    now: () => new Date(),
    randomToken: () => randomBytes(12).toString('hex'),
    stallTimeoutMs: 5_000,
    ...options,
  });
  return { folder, shelf };
}
