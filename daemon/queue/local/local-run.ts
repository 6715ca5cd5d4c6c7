import { isVencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import { type Log, withFields } from '../../../src/shared/util/log.js';
import { apply, applyAsHolder } from '../../jobs/changes.js';
import type { Job, JobFailure } from '../../jobs/job.js';
import type { Change } from '../../jobs/legal-changes.js';
import { withLastProgress } from '../../jobs/progress.js';
import type { Run, RunHandler, StopReason } from '../../jobs/run.js';
import type { JobStore } from '../../store/job-store.js';
import { describeError, failUnfinished, failureOfRun, isStopError, requeue } from '../end-of-run.js';
import type { ProgressTracker } from '../progress-tracker.js';
import { type Delay, retryUntilPersisted } from '../retry-until-persisted.js';

/** The dependencies of a run. */
export interface LocalRunDeps {
  readonly store: JobStore;
  readonly progressTracker: ProgressTracker;
  readonly now: () => Date;
  readonly log: Log;
  readonly delay: Delay;
  readonly runInErrorScope: RunInErrorScope;
}

/** A scope that uncaught errors are assigned to. */
export interface ErrorScope {
  readonly job: Pick<Job, 'id' | 'isPrivate'>;
  fail(error: unknown): void;
}

/** Runs a task in a scope, and settles as the task does. */
export type RunInErrorScope = <T>(work: ErrorScope, task: () => Promise<T>) => Promise<T>;

/**
 * One run of a job, from before its claim, when it already occupies a slot, until everything is cleaned up.
 * It can be stopped at any time.
 */
export class LocalRun {
  readonly #deps: LocalRunDeps;
  readonly #stopping = new AbortController();
  /** Aborted with an uncaught error, which ends the handler and fails the job. */
  readonly #uncaught = new AbortController();
  #hasBegun = false;
  #isExclusive = false;
  /** Whether a change of this run made the job final, so that nothing is left to do. */
  #isDone = false;
  #isEnded = false;
  /** Number of pending waits of the handler, during which it does nothing else. */
  #waitCount = 0;
  #isDraining = false;
  #markEnded: () => void = () => {};

  /** Resolves when the run has ended and released its job. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#markEnded = resolve;
  });

  constructor(
    readonly id: number,
    readonly token: string,
    deps: LocalRunDeps,
  ) {
    this.#deps = { ...deps, log: withFields(deps.log, { jobId: id }) };
  }

  /** Whether the handler was called. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether no other run may be concurrent with this one. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /** Stops the run. The first reason counts; a run that has ended is not stopped any more. */
  stop(reason: StopReason): void {
    if (!this.#isEnded) this.#stopping.abort(reason);
  }

  /**
   * Stops the run unless it is working: a closing queue gives no grace period to runs that wait, now or
   * later.
   */
  drain(): void {
    this.#isDraining = true;
    if (!this.#hasBegun || this.#waitCount > 0) this.stop('draining');
  }

  /**
   * Claims the job, and retries while the store has no space. If the run is stopped meanwhile, it releases
   * the job and resolves to `passed-over`, also if the job cannot be read, which is logged. Never rejects.
   */
  async claim(hasOtherRuns: () => boolean): Promise<ClaimOutcome> {
    const { store, now, log } = this.#deps;
    const options = { token: this.token, now, hasOtherRuns };
    let outcome: ClaimOutcome = 'passed-over';
    try {
      outcome =
        (await this.#retryUntilPersisted('claimed', () => claim(store, this.id, options))) ?? 'passed-over';
    } catch (error) {
      log('error', `Job ${this.id} cannot be run: ${describeError(error)}`);
    }
    if (!this.#stopping.signal.aborted) return outcome;
    await this.#requeueOwnJob();
    return 'passed-over';
  }

  /** Runs the handler on the claimed job, and settles what the handler leaves open. Never rejects. */
  async execute(job: Job, handler: RunHandler): Promise<void> {
    const { signal } = this.#stopping;
    const { signal: broken } = this.#uncaught;
    if (signal.aborted) return this.#requeueOwnJob();
    this.#hasBegun = true;
    this.#isExclusive = job.crashes >= exclusiveAfterCrashes;
    this.#deps.progressTracker.start(this.id);
    try {
      const work = {
        job,
        fail: (error: unknown) => this.#uncaught.abort(error),
      };
      await this.#deps.runInErrorScope(work, () => handler(this.#publicRun(job)));
      if (!this.#isDone && !signal.aborted) throw new Error('The run ended before the job did.');
    } catch (thrown) {
      const error: unknown = broken.aborted ? broken.reason : thrown;
      // An uncaught error is in the log already.
      if (!broken.aborted && !isStopError(error, signal)) {
        this.#deps.log('error', `The run of job ${this.id} ended with an error: ${describeError(error)}`);
      }
      if (!this.#isDone && !signal.aborted) await this.#fail(failureOfRun(error));
    }
    if (!this.#isDone && signal.aborted) await this.#requeueOwnJob();
    this.#deps.progressTracker.clear(this.id);
  }

  /** Marks the run as ended. */
  end(): void {
    this.#isEnded = true;
    this.#markEnded();
  }

  /** The view of this run that the handler gets. */
  #publicRun(job: Job): Run {
    const signal = AbortSignal.any([this.#stopping.signal, this.#uncaught.signal]);
    return {
      job,
      signal,
      change: (change) => this.#change(change),
      whileWaiting: (promise) => this.#waiting(promise),
      progress: (fileId, progress) => {
        // Late progress of this run must not appear in the run that follows.
        if (!this.#isEnded && !signal.aborted) this.#deps.progressTracker.update(this.id, fileId, progress);
      },
    };
  }

  async #waiting<T>(promise: Promise<T>): Promise<T> {
    this.#waitCount += 1;
    if (this.#isDraining) this.stop('draining');
    try {
      return await promise;
    } finally {
      this.#waitCount -= 1;
    }
  }

  async #change(change: Change): Promise<Job> {
    const { store, progressTracker, now } = this.#deps;
    try {
      const job = await store.update(this.id, (stored) =>
        withLastProgress(applyAsHolder(stored, this.token, change, now()), progressTracker.read(this.id)),
      );
      if (isFinal(job.state)) this.#isDone = true;
      return job;
    } catch (error) {
      if (isVencError(error, 'ClaimLostError')) this.stop('claim-lost');
      throw error;
    }
  }

  async #fail(failure: JobFailure): Promise<void> {
    const { store, progressTracker, now, log } = this.#deps;
    const fail = (job: Job) =>
      withLastProgress(failUnfinished(job, this.token, failure, now()), progressTracker.read(this.id));
    try {
      await this.#retryUntilPersisted('failed', () => store.update(this.id, fail));
    } catch (error) {
      log('error', `Job ${this.id} cannot be failed: ${describeError(error)}`);
    }
  }

  /**
   * Ensures that no job stays `processing` without a run. Writes nothing if the run has lost the job, as
   * after a cancel. Tried once, because the caller that stops a run waits for it.
   */
  async #requeueOwnJob(): Promise<void> {
    const { store, now, log } = this.#deps;
    try {
      const job = await store.update(this.id, (stored) => requeue(stored, this.token, now()));
      if (this.#hasBegun && job.state === 'waiting' && this.#stopping.signal.reason === 'draining')
        log('info', `Job ${this.id} is put back in the queue, because the daemon stops.`);
    } catch (error) {
      log('error', `Job ${this.id} cannot be put back to waiting: ${describeError(error)}`);
    }
  }

  #retryUntilPersisted<T>(what: string, write: () => Promise<T>): Promise<T | null> {
    const { delay, log } = this.#deps;
    return retryUntilPersisted(write, {
      signal: this.#stopping.signal,
      delay,
      onFailure: (error, delayMs) =>
        log(
          'warn',
          `Job ${this.id} cannot be ${what} yet, next attempt in ${delayMs} ms: ${describeError(error)}`,
        ),
    });
  }
}

/** Number of crashes after which a job runs alone (contract, section 5). */
const exclusiveAfterCrashes = 2;

/** The options of `claim`. */
interface ClaimOptions {
  readonly token: string;
  readonly now: () => Date;
  /** Whether there are other runs now. */
  readonly hasOtherRuns: () => boolean;
}

/**
 * The claimed job; `passed-over` if it is no longer `waiting`; `needs-exclusive-run` if all other runs must
 * end first.
 */
type ClaimOutcome = Job | 'passed-over' | 'needs-exclusive-run';

/**
 * Claims a job in one write. Checks the crashes before the claim and not after it: if the daemon were killed
 * while a claimed job waited for other runs to end, the job would be blamed for a crash of one of them.
 */
export async function claim(store: JobStore, id: number, options: ClaimOptions): Promise<ClaimOutcome> {
  const job = await store.update(id, (stored) => {
    const mustWait = stored.crashes >= exclusiveAfterCrashes && options.hasOtherRuns();
    if (stored.state !== 'waiting' || mustWait) return stored;
    return apply(stored, { type: 'claimed', token: options.token }, options.now());
  });
  // Also true if an earlier attempt to claim failed only after it was stored.
  if (job.claim === options.token) return job;
  return job.state === 'waiting' ? 'needs-exclusive-run' : 'passed-over';
}
