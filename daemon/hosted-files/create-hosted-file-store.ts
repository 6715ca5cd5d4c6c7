import { resolve } from 'node:path';
import { KeyedMutex } from '../../src/shared/util/keyed-mutex.js';
import type { FileFacts } from '../jobs/job.js';
import { Expiry } from './expiry.js';
import { isToken } from './file-ref.js';
import { find } from './find.js';
import type { FileShelf } from './hosted-file-store.js';
import { place } from './place.js';
import { receive } from './receive.js';
import { readRecord } from './records.js';
import { remove } from './remove.js';
import type { ShelfOptions, ShelfState } from './store-state.js';
import { sweep, sweepToken } from './sweep.js';

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
    locks: new KeyedMutex(),
  };
  const expiry = new Expiry({
    now: state.now,
    keepMs: state.keepSeconds * 1000,
    expire: (token) => sweepToken(state, token),
  });
  const recordOf = async (token: string) => (isToken(token) ? readRecord(state, token) : null);
  return {
    find: (at) => find(state, at),
    async place(fromPath, to) {
      const since = state.now();
      await place(state, fromPath, to);
      expiry.keep(to.token, since);
    },
    remove: (at) => remove(state, at),
    async receive(body, name, ownerId, signal, announcedBytes = 0) {
      const received = await receive(state, { body, name, ownerId, signal, announcedBytes });
      expiry.keep(received.token, state.now());
      return received;
    },
    ownerOf: async (token) => (await recordOf(token))?.ownerId ?? null,
    factsOf: async (token): Promise<FileFacts | null> => {
      const record = await recordOf(token);
      return record === null ? null : { sizeBytes: record.sizeBytes, md5: record.md5 };
    },
    sweep: () => sweep(state, (token, due) => expiry.dueAt(token, due)),
    close: () => expiry.close(),
  };
}
