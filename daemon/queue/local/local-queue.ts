import type { Log } from '../../../src/shared/util/log.js';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import { apply } from '../../jobs/changes.js';
import type { Job } from '../../jobs/job.js';
import type { JobStore } from '../../store/job-store.js';
import type { JobQueue } from '../job-queue.js';
import { describeError, endOfLostRun } from '../job-run.js';
import type { JobSource } from '../job-source.js';
import type { QueueRunDeps, RunPauses } from '../queue-run.js';
import { type Delay, delay, retryUntilPersisted, unrefDelay } from '../retry-until-persisted.js';
import { RunQueue } from '../run-queue.js';
import { WaitingJobs } from '../waiting-jobs.js';

/** The dependencies of a local queue. */
export interface LocalQueueOptions extends Omit<QueueRunDeps, 'delay'> {
  /** Returns a new unguessable token for each claim. */
  readonly randomToken: () => string;
  /** The delay between two attempts to write; {@link delay} by default. */
  readonly delay?: Delay;
}

/** A queue in this process that stores nothing on disk: the waiting jobs are known from the store. */
export function createLocalQueue(parts: LocalQueueOptions): JobQueue {
  return new RunQueue({
    ...parts,
    source: createMemorySource(),
    delay: parts.delay ?? delay,
  });
}

function createMemorySource(): JobSource {
  const waiting = new WaitingJobs();
  return {
    isShared: false,
    add: (job, options) => waiting.push(job, options),
    putBack: (job) => waiting.unshift(job),
    remove: (id) => waiting.remove(id),
    clear: () => waiting.clear(),
    find: (condition) => waiting.next(condition, new Map()),
    take({ accepts }, activeByAccount) {
      if (waiting.size === 0) return null;
      const job = waiting.next(accepts, activeByAccount);
      if (job !== null) waiting.remove(job.id);
      return job;
    },
  };
}

/** The options of `recover`. */
interface RecoverOptions {
  readonly now: () => Date;
  readonly log: Log;
  /** The end of frozen runs is no crash: they were not working. None if absent. */
  readonly pauses?: Pick<RunPauses, 'freezes'>;
  /** Ends the retries if the store has no space. Must be aborted before the store is closed. */
  readonly signal?: AbortSignal;
  /** The delay between two attempts to write; {@link unrefDelay} by default. */
  readonly delay?: Delay;
}

/** Maximum number of concurrent writes. */
const maxConcurrentWrites = 16;

/**
 * Continues the runs of the jobs that remote workers held when an earlier daemon ended. A worker keeps its claim while
 * the daemon restarts, as long as it reports in time: call this before the first request can arrive, and before
 * `recover`, for which such a run is a crash otherwise.
 */
export async function resumeClaims(
  store: Pick<JobStore, 'active'>,
  resume: (job: Job) => void,
): Promise<void> {
  for (const job of await store.active()) {
    const { state, claim, worker } = job;
    if (state === 'processing' && claim !== null && worker !== undefined) resume(job);
  }
}

/**
 * Recovers the jobs of an earlier daemon, except those that the queue runs already. Runs that ended unexpectedly count
 * as crashes, and their jobs are put back to `waiting`, or fail at the third crash (contract, section 5). Then every
 * waiting job is enqueued, oldest first. Jobs that were waiting already are not written. Resolves when all are
 * enqueued, except those that the store has no space to change, which follow as soon as it has.
 */
export async function recover(store: JobStore, queue: JobQueue, options: RecoverOptions): Promise<void> {
  const jobs = (await store.active()).filter(({ id }) => !queue.isRunning(id));
  const recovered = new Map<number, Job>();
  const interrupted = jobs.filter(({ state }) => state !== 'waiting');
  await mapWithConcurrency(interrupted, maxConcurrentWrites, async (found) => {
    const job = await recoverJob(store, found, options);
    if (job === null) void retryRecovery(store, queue, found, options);
    else recovered.set(found.id, job);
  });
  const waiting = jobs.map((job) => recovered.get(job.id) ?? job).filter(({ state }) => state === 'waiting');
  await Promise.all(waiting.map((job) => queue.enqueue(job)));
  if (waiting.length > 0) options.log('info', `Jobs resumed from the previous run: ${waiting.length}.`);
}

/** Recovers one job; null if it could not be written. */
async function recoverJob(store: JobStore, found: Job, options: RecoverOptions): Promise<Job | null> {
  try {
    const job = await store.update(found.id, (stored) => toRecovered(stored, found, options));
    if (job.crashes > found.crashes) {
      const outcome = job.state === 'failed' ? 'It fails.' : 'It starts again.';
      options.log(
        'warn',
        `Job ${job.id} was running when the daemon ended (crash ${job.crashes}). ${outcome}`,
        { jobId: job.id },
      );
    }
    return job;
  } catch (error) {
    options.log('error', `Job ${found.id} cannot be resumed: ${describeError(error)}`, {
      jobId: found.id,
    });
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
  const write = () => store.update(found.id, (stored) => toRecovered(stored, found, options));
  // An error here is permanent, and was logged above.
  const job = await retryUntilPersisted(write, retryOptions).catch(() => null);
  if (job?.state === 'waiting') await queue.enqueue(job);
}

/**
 * The job after recovery. Returns the same object if the job was changed since it was listed, as by a cancel.
 * Pure.
 */
function toRecovered(stored: Job, found: Job, { now, pauses }: RecoverOptions): Job {
  if (stored.state !== found.state || stored.claim !== found.claim) return stored;
  if (stored.state === 'processing') return apply(stored, { type: endOfLostRun(pauses, stored) }, now());
  return stored.state === 'pending' ? apply(stored, { type: 'queued' }, now()) : stored;
}
