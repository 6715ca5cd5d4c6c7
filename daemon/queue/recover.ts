import type { Log } from '../../src/shared/util/log.js';
import { mapWithConcurrency } from '../../src/shared/util/map-with-concurrency.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import type { JobStore } from '../store/job-store.js';
import { describeError } from './end-of-run.js';
import type { JobQueue } from './job-queue.js';
import { type Delay, retryUntilPersisted, unrefDelay } from './retry-until-persisted.js';

/** What recovering needs beside the store and the queue. */
export interface RecoverOptions {
  readonly now: () => Date;
  readonly log: Log;
  /** Ends the trying where the store has no room: to be aborted before the store is closed. */
  readonly signal?: AbortSignal;
  /** Waiting between two attempts to write; {@link idlePause} where it is left out. */
  readonly delay?: Delay;
}

/** Writes that are under way at once. */
const maxConcurrentWrites = 16;

/**
 * Takes up what an earlier daemon left: runs that ended without a word are counted as crashes and their jobs put
 * back to `waiting`, or given up at the third (contract, section 5); then everything that waits is queued, oldest
 * first. Jobs that wait already are not written. Resolves when all are queued, but for those that the store has no
 * room to change: those follow as soon as it has.
 */
export async function recover(store: JobStore, queue: JobQueue, options: RecoverOptions): Promise<void> {
  const jobs = await store.active();
  const recovered = new Map<number, Job>();
  await mapWithConcurrency(jobs, maxConcurrentWrites, async (found) => {
    const job = found.state === 'waiting' ? found : await recoverJob(store, found, options);
    if (job === null) void retryRecovery(store, queue, found, options);
    else recovered.set(found.id, job);
  });
  const waiting = jobs.filter(({ id }) => recovered.get(id)?.state === 'waiting');
  for (const { id } of waiting) await queue.enqueue(id);
  if (waiting.length > 0) options.log('info', `Jobs resumed from the previous run: ${waiting.length}.`);
}

/** Takes one job up, or gives null where it could not be written. */
async function recoverJob(store: JobStore, found: Job, options: RecoverOptions): Promise<Job | null> {
  try {
    const job = await store.update(found.id, (stored) => toRecovered(stored, found, options.now()));
    if (job.crashes > found.crashes) {
      const outcome = job.state === 'failed' ? 'It fails.' : 'It starts again.';
      options.log(
        'warn',
        `Job ${job.id} was running when the daemon ended (crash ${job.crashes}). ${outcome}`,
      );
    }
    return job;
  } catch (error) {
    options.log('error', `Job ${found.id} cannot be resumed: ${describeError(error)}`);
    return null;
  }
}

async function retryRecovery(
  store: JobStore,
  queue: JobQueue,
  found: Job,
  options: RecoverOptions,
): Promise<void> {
  const retryOptions = {
    signal: options.signal ?? new AbortController().signal,
    delay: options.delay ?? unrefDelay,
    onFailure: () => {},
  };
  const write = () => store.update(found.id, (stored) => toRecovered(stored, found, options.now()));
  // What still fails here fails for good, and was told above.
  const job = await retryUntilPersisted(write, retryOptions).catch(() => null);
  if (job?.state === 'waiting') await queue.enqueue(job.id);
}

/**
 * The job as it stands after what its daemon left undone. The very same job where somebody changed it since it was
 * seen, as by a cancel: it is in good hands then. Pure.
 */
function toRecovered(stored: Job, found: Job, now: Date): Job {
  if (stored.state !== found.state || stored.claim !== found.claim) return stored;
  if (stored.state === 'processing') return apply(stored, { type: 'lost' }, now);
  return stored.state === 'pending' ? apply(stored, { type: 'queued' }, now) : stored;
}
