import type { Job } from '../../daemon/jobs/job.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { VencError } from '../../src/shared/errors.js';

/** The error of a full disk. */
export const outOfSpaceError = new VencError('OutOfSpaceError', 'There is no space left on the disk.');

/** A switch between a queue and its store that makes updates fail. */
export interface UpdateFailure {
  /** Thrown by each update instead of executing it, or, with `isLate`, after executing it. null: updates succeed. */
  error: Error | null;
  isLate: boolean;
  /** Number of failed updates. */
  count: number;
}

/** A store whose updates fail while the switch is set. Everything else is passed to the store. */
export function withFailingUpdates(store: JobStore, updateFailure: UpdateFailure): JobStore {
  return {
    create: (draft, options) => store.create(draft, options),
    hostedBytes: (accountId, now) => store.hostedBytes(accountId, now),
    findByIdempotencyKey: (accountId, key, since) => store.findByIdempotencyKey(accountId, key, since),
    get: (id) => store.get(id),
    has: (id) => store.has(id),
    findByFile: (fileId) => store.findByFile(fileId),
    list: (filter) => store.list(filter),
    active: () => store.active(),
    listWithNotifications: () => store.listWithNotifications(),
    usage: (filter) => store.usage(filter),
    watch: (listener) => store.watch(listener),
    watchRemoved: (listener) => store.watchRemoved(listener),
    readPosition: () => store.readPosition(),
    reportedPosition: () => store.reportedPosition(),
    changesSince: (position, accountId) => store.changesSince(position, accountId),
    remove: (id) => store.remove(id),
    listRemovable: (filter) => store.listRemovable(filter),
    forgetFilesOf: (jobs) => store.forgetFilesOf(jobs),
    removedFiles: () => store.removedFiles(),
    forgetRemovedFiles: () => store.forgetRemovedFiles(),
    close: () => store.close(),
    async update(id: number, change: (job: Job) => Job) {
      const { error, isLate } = updateFailure;
      if (error === null) return store.update(id, change);
      updateFailure.count += 1;
      if (isLate) await store.update(id, change);
      throw error;
    },
  };
}
