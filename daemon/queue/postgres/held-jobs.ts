import { VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { ClaimConfirmation, type Moment, readClocks } from '../claim-confirmation.js';
import { describeError } from '../end-of-run.js';
import { type Attempt, leaseSeconds, type QueueEngine } from './queue-engine.js';

/** A job that this process holds. */
export interface HeldJob {
  readonly jobId: number;
  readonly queue: string;
  readonly attempt: Attempt;
  /** Whether the job is reported only after its remote worker has reported. */
  readonly isRemote: boolean;
}

interface Entry extends HeldJob {
  readonly confirmation: ClaimConfirmation;
  /** Whether the worker has reported since the last report to the engine. */
  hasReported: boolean;
}

interface HeldJobsOptions {
  readonly engine: Pick<QueueEngine, 'touch'>;
  readonly log: Log;
  /** Called when another process may hold a job. */
  readonly onLost: (jobId: number) => void;
}

/** How often the jobs are reported, in milliseconds. */
const reportIntervalMs = 5000;
/** A confirmation that is less old is good enough, in milliseconds. */
const freshMs = 2000;

/** The jobs that this process holds: it reports them to the engine, and learns which of them it has lost. */
export class HeldJobs {
  readonly #options: HeldJobsOptions;
  readonly #entries = new Map<number, Entry>();
  #timer: NodeJS.Timeout | null = null;
  #isReporting = false;
  #hasFailed = false;
  /** When a report last failed, on the monotonic clock. */
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: HeldJobsOptions) {
    this.#options = options;
  }

  get(jobId: number): HeldJob | undefined {
    return this.#entries.get(jobId);
  }

  /** Adds a job that was taken, or touched, by a request that was sent at a moment. */
  add(job: HeldJob, sentAt: Moment): void {
    this.delete(job.jobId);
    const confirmation = new ClaimConfirmation(sentAt, { leaseMs: leaseSeconds * 1000 });
    this.#entries.set(job.jobId, { ...job, confirmation, hasReported: false });
    this.#timer ??= setInterval(() => void this.#report(), reportIntervalMs).unref();
  }

  /** Removes a job, which is not reported any more. */
  delete(jobId: number): void {
    this.#entries.get(jobId)?.confirmation.close();
    this.#entries.delete(jobId);
    if (this.#entries.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The remote worker that runs a job has reported. */
  renew(jobId: number): void {
    const entry = this.#entries.get(jobId);
    if (entry !== undefined) entry.hasReported = true;
  }

  /** Confirms that a job is held; see `Run.confirmClaim`. Rejects if it is lost, or while the database cannot be reached. */
  async confirm(jobId: number, maxAgeMs = freshMs): Promise<AbortSignal> {
    const entry = this.#entries.get(jobId);
    if (entry === undefined) throw new VencError('ClaimLostError', `Job ${jobId} is no longer held.`);
    if (entry.confirmation.ageMs > maxAgeMs) await this.#touch(entry.queue, [entry]);
    if (this.#entries.get(jobId) !== entry)
      throw new VencError('ClaimLostError', `Job ${jobId} is no longer held.`);
    return entry.confirmation.signal;
  }

  /** See `Run.wasCutOffSince`. Rejects as `confirm`. */
  async wasCutOffSince(jobId: number, monotonicMs: number): Promise<boolean> {
    await this.confirm(jobId, 0);
    return this.#failedAtMs >= monotonicMs;
  }

  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      const due = [...this.#entries.values()].filter(({ isRemote, hasReported }) => !isRemote || hasReported);
      for (const queue of new Set(due.map((entry) => entry.queue)))
        await this.#touch(
          queue,
          due.filter((entry) => entry.queue === queue),
        );
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#options.log('warn', `The jobs that run here could not be reported: ${describeError(error)}`);
      this.#hasFailed = true;
    } finally {
      this.#isReporting = false;
    }
  }

  async #touch(queue: string, entries: readonly Entry[]): Promise<void> {
    const sentAt = readClocks();
    const attempts = entries.map(({ attempt }) => attempt);
    const held = new Set(
      await this.#options.engine.touch(queue, attempts).catch((error: unknown) => {
        this.#failedAtMs = performance.now();
        throw error;
      }),
    );
    for (const entry of entries) {
      entry.hasReported = false;
      if (held.has(entry.attempt)) entry.confirmation.confirm(sentAt);
      else if (this.#entries.get(entry.jobId) === entry) this.#lose(entry);
    }
  }

  #lose({ jobId }: Entry): void {
    this.delete(jobId);
    this.#options.log('warn', `Job ${jobId} was given to another run, because this one could not report.`, {
      jobId,
    });
    this.#options.onLost(jobId);
  }
}
