import { resolve } from 'node:path';
import type { FileFacts } from '../jobs/job.js';
import type { FileShelf } from './file-shelf.js';
import { find } from './shelf/find.js';
import { createLocks } from './shelf/locks.js';
import { place } from './shelf/place.js';
import { receive } from './shelf/receive.js';
import { readRecord } from './shelf/records.js';
import { remove } from './shelf/remove.js';
import type { ShelfOptions, ShelfState } from './shelf/shelf-state.js';
import { sweep } from './shelf/sweep.js';
import { isToken } from './shelf-place.js';

/** The contract's 24 hours. */
const defaultKeepSeconds = 86_400;

/**
 * A shelf on a folder of this machine; the folder is made when it is first needed. One process works on a folder at a time, as
 * sweeping takes for a leftover whatever is unfinished and not its own.
 */
export function createShelf(folder: string, options: ShelfOptions): FileShelf {
  const state: ShelfState = {
    keepSeconds: defaultKeepSeconds,
    minFreeBytes: 0,
    ...options,
    folder: resolve(folder),
    locks: createLocks(),
  };
  const recordOf = async (token: string) => (isToken(token) ? readRecord(state, token) : null);
  return {
    find: (at) => find(state, at),
    place: (fromPath, to) => place(state, fromPath, to),
    remove: (at) => remove(state, at),
    receive: (body, name, ownerId, signal, announcedBytes = 0) =>
      receive(state, { body, name, ownerId, signal, announcedBytes }),
    ownerOf: async (token) => (await recordOf(token))?.ownerId ?? null,
    factsOf: async (token): Promise<FileFacts | null> => {
      const record = await recordOf(token);
      return record === null ? null : { sizeBytes: record.sizeBytes, md5: record.md5 };
    },
    sweep: () => sweep(state),
  };
}
