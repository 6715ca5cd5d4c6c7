import { invalidRequest } from '../../src/shared/errors.js';
import type { JobPauseRecord } from '../../src/shared/records.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { workerProtocol } from '../../src/shared/version.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';
import { unknownFieldErrors } from './unknown-fields.js';

/**
 * Pauses a job, or ends that; no-op if it is paused, or is not, already. A waiting job does not start; the programs of a
 * running one are stopped, and another job may have its slot. Rejects with `ConflictError` if the job has ended, and with
 * `InvalidRequestError` for a body with fields.
 */
export async function pauseJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'workers' | 'now' | 'log'>,
  accountId: string,
  id: number,
  { isPaused, body }: { readonly isPaused: boolean; readonly body: unknown },
): Promise<JobPauseRecord> {
  const { store, queue, workers, now, log } = appContext;
  await findJob({ store }, accountId, id);
  requireNoFields(body);
  let before: Job | null = null;
  const job = await store.update(id, (stored) => {
    before = stored;
    return apply(stored, { type: isPaused ? 'paused' : 'unpaused' }, now());
  });
  if (job !== before)
    log('info', `Job ${id} ${isPaused ? 'is paused' : 'is not paused any more'}.`, { jobId: id });
  queue.followPause(job);
  const isRunning = isPaused && job.state === 'processing';
  const lacksFreeze = isRunning && workersWithoutFreeze({ workers }, [job])[0];
  return {
    paused: isPaused,
    frozen: isRunning && lacksFreeze === undefined,
    ...(typeof lacksFreeze === 'string' ? { not_frozen_by: lacksFreeze } : {}),
  };
}

/** The names of the workers of some running jobs that cannot stop their programs: their version is too old. */
export function workersWithoutFreeze(
  { workers }: { readonly workers: Pick<AppContext['workers'], 'protocolOf'> },
  jobs: readonly Pick<Job, 'state' | 'worker'>[],
): readonly string[] {
  const names = jobs.flatMap(({ state, worker }) =>
    state === 'processing' && worker !== undefined ? worker.name : [],
  );
  return [...new Set(names)].filter((name) => workers.protocolOf(name) < workerProtocol.freezing);
}

function requireNoFields(body: unknown): void {
  if (body === undefined || body === null) return;
  const problems = isObject(body)
    ? unknownFieldErrors(body, [], 'of the pause of a job: the body must be empty')
    : ['the body must be empty'];
  if (problems.length > 0) throw invalidRequest(problems);
}
