import type { Log } from '../../src/shared/util/log.js';
import { mapWithConcurrency } from '../../src/shared/util/map-with-concurrency.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import type { JobStore } from '../store/job-store.js';
import { textOf } from './end-of-run.js';
import type { JobQueue } from './job-queue.js';
import { idlePause, type Pause, untilKept } from './retry-until-persisted.js';

/** What recovering needs beside the store and the queue. */
export interface RecoverOptions {
  readonly now: () => Date;
  readonly log: Log;
  /** Ends the trying where the store has no room: to be aborted before the store is closed. */
  readonly signal?: AbortSignal;
  /** Waiting between two attempts to write; {@link idlePause} where it is left out. */
  readonly pause?: Pause;
}

/** Writes that are under way at once. */
const writesAtOnce = 16;

/**
 * Takes up what an earlier daemon left: runs that ended without a word are counted as crashes and their jobs put
 * back to `waiting`, or given up at the third (contract, section 5); then everything that waits is queued, oldest
 * first. Jobs that wait already are not written. Resolves when all are queued, but for those that the store has no
 * room to change: those follow as soon as it has.
 */
export async function recover(store: JobStore, queue: JobQueue, options: RecoverOptions): Promise<void> {
  const jobs = await store.active();
  const takenUp = new Map<number, Job>();
  await mapWithConcurrency(jobs, writesAtOnce, async (seen) => {
    const job = seen.state === 'waiting' ? seen : await takeUp(store, seen, options);
    if (job === null) void takeUpLater(store, queue, seen, options);
    else takenUp.set(seen.id, job);
  });
  const waiting = jobs.filter(({ id }) => takenUp.get(id)?.state === 'waiting');
  for (const { id } of waiting) await queue.enqueue(id);
  if (waiting.length > 0) options.log('info', `Jobs resumed from the previous run: ${waiting.length}.`);
}

/** Takes one job up, or gives null where it could not be written. */
async function takeUp(store: JobStore, seen: Job, options: RecoverOptions): Promise<Job | null> {
  try {
    const job = await store.update(seen.id, (stored) => asLeft(stored, seen, options.now()));
    if (job.crashes > seen.crashes) {
      const outcome = job.state === 'failed' ? 'It fails.' : 'It starts again.';
      options.log(
        'warn',
        `Job ${job.id} was running when the daemon ended (crash ${job.crashes}). ${outcome}`,
      );
    }
    return job;
  } catch (error) {
    options.log('error', `Job ${seen.id} cannot be resumed: ${textOf(error)}`);
    return null;
  }
}

async function takeUpLater(
  store: JobStore,
  queue: JobQueue,
  seen: Job,
  options: RecoverOptions,
): Promise<void> {
  const patience = {
    signal: options.signal ?? new AbortController().signal,
    pause: options.pause ?? idlePause,
    onFailure: () => {},
  };
  const write = () => store.update(seen.id, (stored) => asLeft(stored, seen, options.now()));
  // What still fails here fails for good, and was told above.
  const job = await untilKept(write, patience).catch(() => null);
  if (job?.state === 'waiting') await queue.enqueue(job.id);
}

/**
 * The job as it stands after what its daemon left undone. The very same job where somebody changed it since it was
 * seen, as by a cancel: it is in good hands then. Pure.
 */
function asLeft(stored: Job, seen: Job, now: Date): Job {
  if (stored.state !== seen.state || stored.claim !== seen.claim) return stored;
  if (stored.state === 'processing') return apply(stored, { type: 'lost' }, now);
  return stored.state === 'pending' ? apply(stored, { type: 'queued' }, now) : stored;
}
