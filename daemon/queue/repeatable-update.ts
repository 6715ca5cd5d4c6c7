import { isDeepStrictEqual } from 'node:util';
import { isVencError } from '../../src/shared/errors.js';
import type { Job } from '../jobs/job.js';
import type { JobStore } from '../store/job-store.js';

/** Whether an error means that the database cannot store anything now. */
export function isUnavailable(error: unknown): boolean {
  return isVencError(error, 'UnavailableError') || isVencError(error, 'OutOfSpaceError');
}

/**
 * Returns a function that updates a job, and may be called again after it has failed: an update that was stored although its answer was lost
 * is not applied twice. Only for changes by the holder of the claim, because nobody else changes the files of the job meanwhile.
 */
export function repeatableUpdate(
  store: Pick<JobStore, 'update'>,
  id: number,
  change: (job: Job) => Job,
): () => Promise<Job> {
  let changed: Job | null = null;
  return () =>
    store.update(id, (stored) => {
      if (changed !== null && isDeepStrictEqual(filesOf(stored), filesOf(changed))) return stored;
      changed = change(stored);
      return changed;
    });
}

/** What a run changes of a job, as it is stored. */
function filesOf({ state, input, outputs }: Job): unknown {
  return JSON.parse(JSON.stringify({ state, input, outputs }));
}
