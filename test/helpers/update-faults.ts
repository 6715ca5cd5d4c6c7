import type { Job } from '../../daemon/jobs/job.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { VencError } from '../../src/shared/errors.js';

/** What a disk without room answers. */
export const outOfSpaceError = new VencError('OutOfSpaceError', 'There is no room left on the disk.');

/** A switch between a queue and its store: what updates meet with. */
export interface UpdateFailure {
  /** Thrown by each update in place of being carried out, or, `isLate`, after it; null: all is well. */
  error: Error | null;
  isLate: boolean;
  /** How many updates met with it. */
  count: number;
}

/** A store whose updates fail while the switch says so; everything else is the store's own. */
export function withUpdateFaults(store: JobStore, updateFault: UpdateFailure): JobStore {
  return {
    create: (draft) => store.create(draft),
    findByIdempotencyKey: (accountId, key, since) => store.findByIdempotencyKey(accountId, key, since),
    get: (id) => store.get(id),
    findByFile: (fileId) => store.findByFile(fileId),
    list: (filter) => store.list(filter),
    active: () => store.active(),
    listWithNotifications: () => store.listWithNotifications(),
    usage: (filter) => store.usage(filter),
    watch: (listener) => store.watch(listener),
    remove: (id) => store.remove(id),
    removedFiles: () => store.removedFiles(),
    forgetRemovedFiles: () => store.forgetRemovedFiles(),
    close: () => store.close(),
    async update(id: number, change: (job: Job) => Job) {
      const { error, isLate } = updateFault;
      if (error === null) return store.update(id, change);
      updateFault.count += 1;
      if (isLate) await store.update(id, change);
      throw error;
    },
  };
}
