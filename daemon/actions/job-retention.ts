import { isFinal } from '../../src/shared/states.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import type { AppContext } from './app-context.js';
import { removeStoredJob } from './remove-job.js';

/** Which jobs a daemon keeps; null for all. */
export interface RetentionLimits {
  /** `--keep-days`: how long ago a job may have ended. */
  readonly keepDays: number | null;
  /** `--keep-jobs`: the number of jobs that have ended. */
  readonly keepJobs: number | null;
}

type RetentionDeps = Pick<AppContext, 'store' | 'queue' | 'hosted' | 'log' | 'now'>;

const msPerDay = 86_400_000;
/** Interval between two passes, in milliseconds. */
const intervalMs = 15 * 60 * 1000;
/** Delay of a pass after a job has ended, so that one pass serves many jobs, and after the start of the daemon. */
const delayMs = 1000;
/** Number of jobs that are selected at once: each selection looks at all jobs. */
const batchSize = 1000;
/** Few, so that requests and encodes find the disk idle. */
const maxConcurrentRemovals = 16;

/**
 * Removes the jobs that the limits do not keep, with their hosted files: from time to time, and after jobs have ended.
 */
export class JobRetention {
  readonly #deps: RetentionDeps;
  readonly #limits: RetentionLimits;
  readonly #closing = new AbortController();
  #interval: NodeJS.Timeout | null = null;
  #delay: NodeJS.Timeout | null = null;
  #unwatch = (): void => undefined;
  #pass: Promise<void> | null = null;
  /** Whether a pass was requested that has not begun. */
  #isDue = false;

  constructor(deps: RetentionDeps, limits: RetentionLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /** Schedules the passes. A no-op without limits. */
  start(): void {
    const { keepDays, keepJobs } = this.#limits;
    if (keepDays === null && keepJobs === null) return;
    this.#interval = setInterval(() => this.#schedule(), intervalMs).unref();
    if (keepJobs !== null) {
      // Also after the last notification of a job, which is kept until then.
      this.#unwatch = this.#deps.store.watch(({ state }) => {
        if (isFinal(state)) this.#schedule();
      });
    }
    this.#schedule();
  }

  /** Stops a running pass, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    if (this.#interval !== null) clearInterval(this.#interval);
    if (this.#delay !== null) clearTimeout(this.#delay);
    await this.#pass;
  }

  /** Schedules a pass, unless one is scheduled. Another one follows a running pass. */
  #schedule(): void {
    this.#isDue = true;
    if (this.#delay !== null || this.#closing.signal.aborted) return;
    this.#delay = setTimeout(() => {
      this.#isDue = false;
      this.#pass = this.#run().finally(() => {
        this.#delay = null;
        if (this.#isDue) this.#schedule();
      });
    }, delayMs).unref();
  }

  /** Removes all jobs that the limits do not keep, in batches. Never rejects. */
  async #run(): Promise<void> {
    const { log } = this.#deps;
    let removedCount = 0;
    try {
      for (;;) {
        const count = await this.#removeBatch();
        removedCount += count;
        // Jobs that cannot be removed would be selected again.
        if (count === 0) break;
      }
    } catch (error) {
      log('error', `The removal of old jobs failed: ${String(error)}`);
    }
    if (removedCount > 0)
      log(
        'info',
        `Removed ${removedCount} old ${removedCount === 1 ? 'job' : 'jobs'} (${this.#flags()}). Reports still include the usage.`,
      );
  }

  /** Removes the oldest jobs that the limits do not keep. Resolves to their number, 0 if none is left. */
  async #removeBatch(): Promise<number> {
    const { store, log, now } = this.#deps;
    const { keepDays, keepJobs } = this.#limits;
    const endedBefore = keepDays === null ? null : new Date(now().getTime() - keepDays * msPerDay);
    const ids = await store.listRemovable({ endedBefore, maxCount: keepJobs, limit: batchSize });
    let count = 0;
    const jobs = await mapWithConcurrency(ids, maxConcurrentRemovals, async (id) => {
      if (this.#closing.signal.aborted) return null;
      try {
        const job = await removeStoredJob(this.#deps, id);
        count += 1;
        return job;
      } catch (error) {
        log(
          'warn',
          `Job ${id} could not be removed: ${error instanceof Error ? error.message : String(error)}`,
        );
        return null;
      }
    });
    await store.forgetFilesOf(jobs.filter((job) => job !== null));
    return this.#closing.signal.aborted ? 0 : count;
  }

  /** The flags that limit the jobs. */
  #flags(): string {
    const { keepDays, keepJobs } = this.#limits;
    return [
      ...(keepDays === null ? [] : [`--keep-days ${keepDays}`]),
      ...(keepJobs === null ? [] : [`--keep-jobs ${keepJobs}`]),
    ].join(', ');
  }
}
