import type { Log } from '../../../src/shared/util/log.js';
import type { JobProgress } from '../../jobs/progress.js';
import type { PostgresJobStore } from '../../store/postgres/jobs.js';
import type { JobQueue } from '../job-queue.js';
import { endOfLostRun, requeue } from '../job-run.js';
import type { RunPauses } from '../queue-run.js';
import { RunQueue, type RunQueueOptions } from '../run-queue.js';
import { PostgresSource, type PostgresSourceOptions } from './postgres-source.js';
import { leaseSeconds, type QueueEntries } from './queue-entries.js';

/** The dependencies of a queue in a database. */
type PostgresQueueOptions = Omit<PostgresSourceOptions, 'store'> &
  Omit<RunQueueOptions, 'source' | 'claims' | 'store'> & { readonly store: PostgresJobStore };

/**
 * Opens the queue of a database, which several daemons share. The hooks of {@link QueueEntries} must be those of the
 * store. A job that another daemon has changed stops its run here.
 */
export async function openPostgresQueue(options: PostgresQueueOptions): Promise<JobQueue> {
  const source = new PostgresSource(options);
  const queue = new RunQueue({ ...options, source });
  options.store.watchOthers((job) => queue.observe(job));
  await source.start({
    onWaiting: () => queue.startRuns(),
    onLost: (jobId) => queue.lose(jobId),
  });
  return queue;
}

/** The dependencies of `superviseQueue`. */
interface SuperviseOptions {
  readonly entries: QueueEntries;
  readonly store: PostgresJobStore;
  readonly pauses?: RunPauses;
  /** The progress of the jobs of all daemons. */
  readonly progressOf: (jobId: number) => JobProgress;
  /** See `mergeJobCounts`. */
  readonly mergeCounts: () => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

/** How often the leader looks for runs that do not report, in milliseconds. */
const superviseIntervalMs = 5000;
/** Every so many times, which is each hour, it tidies up. */
const tidyEvery = 720;

/**
 * Gives jobs to others whose holders do not report, until the signal is aborted. For one daemon at a time. It begins
 * after a lease, so that after a time without the database all holders can report before.
 */
export function superviseQueue(options: SuperviseOptions, signal: AbortSignal): void {
  let count = 0;
  let unused: readonly string[] = [];
  const supervise = async () => {
    const { entries, log } = options;
    try {
      if (count === 0) await entries.addMissing();
      else await dropExpiredLeases(options);
      await options.mergeCounts();
      if (count % tidyEvery === 0) unused = await deleteUnusedQueues(entries, unused);
    } catch (error) {
      if (!signal.aborted)
        log('warn', `Runs that do not report cannot be found at the moment: ${String(error)}`);
    }
    count += 1;
    if (!signal.aborted) next(count === 1 ? leaseSeconds * 1000 : superviseIntervalMs);
  };
  let timer: NodeJS.Timeout;
  const next = (delayMs: number) => {
    timer = setTimeout(() => void supervise(), delayMs).unref();
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  void supervise();
}

/** Deletes the queues that had no jobs before and have none now. Resolves to those that have none now and are left. */
export async function deleteUnusedQueues(
  entries: Pick<QueueEntries, 'emptyQueues' | 'deleteQueue'>,
  before: readonly string[],
): Promise<readonly string[]> {
  const empty = await entries.emptyQueues();
  const unused = empty.filter((name) => before.includes(name));
  for (const name of unused) await entries.deleteQueue(name);
  return empty.filter((name) => !unused.includes(name));
}

/**
 * Requeues the jobs whose runs have ended without a report. That counts as a crash, of the jobs of remote workers as
 * `requeue` says.
 */
async function dropExpiredLeases({
  entries,
  store,
  pauses,
  progressOf,
  now,
  log,
}: SuperviseOptions): Promise<void> {
  for (const { id, claim } of await entries.expire()) {
    let crashesBefore = 0;
    const job = await store.update(id, (stored) => {
      crashesBefore = stored.crashes;
      const how = stored.worker === undefined ? endOfLostRun(pauses, stored) : progressOf(id);
      return requeue(stored, claim ?? '', how, now());
    });
    const outcome = job.state === 'failed' ? 'It fails.' : 'It starts again.';
    const count = job.crashes > crashesBefore ? ` (crash ${job.crashes})` : '';
    log('warn', `Job ${id} had a run that no longer reports${count}. ${outcome}`, { jobId: id });
  }
}
