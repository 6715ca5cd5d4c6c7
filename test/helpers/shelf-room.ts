import { randomBytes } from 'node:crypto';
import { createShelf } from '../../daemon/hosted-files/create-hosted-file-store.js';
import type { FileShelf } from '../../daemon/hosted-files/hosted-file-store.js';
import type { ShelfOptions } from '../../daemon/hosted-files/store-state.js';
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
