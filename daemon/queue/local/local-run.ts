import { isVencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import { applyAsHolder, type Change } from '../../jobs/changes.js';
import type { Job } from '../../jobs/job.js';
import type { JobFailure } from '../../jobs/job-failure.js';
import { withLastProgress } from '../../jobs/last-progress.js';
import type { Run, RunHandler, StopReason } from '../../jobs/run.js';
import type { JobStore } from '../../store/job-store.js';
import { describeError, failUnfinished, failureOfRun, isStopError, requeue } from '../end-of-run.js';
import type { ProgressTracker } from '../progress-tracker.js';
import { type Delay, retryUntilPersisted } from '../retry-until-persisted.js';
import { type ClaimOutcome, claim, exclusiveAfterCrashes } from './claim.js';

/** What a run works with. */
export interface LocalRunDeps {
  readonly store: JobStore;
  readonly progressTracker: ProgressTracker;
  readonly now: () => Date;
  readonly log: Log;
  readonly delay: Delay;
  readonly runInErrorScope: RunInErrorScope;
}

/** Work whose errors that nobody caught are known as its own. */
export interface ErrorScope {
  readonly name: string;
  fail(error: unknown): void;
}

/** Does such work, and settles as it does. */
export type RunInErrorScope = <T>(work: ErrorScope, task: () => Promise<T>) => Promise<T>;

/**
 * The life of one attempt at a job: from before its claim, when it takes up a slot already, until nothing of it is
 * left to do. It can be stopped at any moment of it.
 */
export class LocalRun {
  readonly #deps: LocalRunDeps;
  readonly #stopping = new AbortController();
  /** Aborted with an error that nobody caught: it ends the handler, and the job is failed with it. */
  readonly #uncaught = new AbortController();
  #hasBegun = false;
  #isExclusive = false;
  /** Whether a change of this run brought the job to its end, so that nothing is left to be settled. */
  #isDone = false;
  #isEnded = false;
  /** How many things the handler waits for, while it does nothing else. */
  #waitCount = 0;
  #isDraining = false;
  #markEnded: () => void = () => {};

  /** Resolves when the run has let go of its job. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#markEnded = resolve;
  });

  constructor(
    readonly id: number,
    readonly token: string,
    deps: LocalRunDeps,
  ) {
    this.#deps = deps;
  }

  /** Whether the handler was called. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether no other may run beside it. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /** The first reason given stays; a run that is over is stopped no more. */
  stop(reason: StopReason): void {
    if (!this.#isEnded) this.#stopping.abort(reason);
  }

  /** Stops the run unless it works: what only waits for its turn, now or later, is none of what a closing queue has time for. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#hasBegun || this.#waitCount > 0) this.stop('draining');
  }

  /**
   * Claims the job, however long it takes the store to find room for that. A run that is stopped meanwhile gives the
   * job back and passes it over; so does one whose job cannot be read, which is logged. Never rejects.
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

  /** Has the claimed job worked on, and settles what the handler leaves open. Never rejects. */
  async execute(job: Job, handler: RunHandler): Promise<void> {
    const { signal } = this.#stopping;
    const { signal: broken } = this.#uncaught;
    if (signal.aborted) return this.#requeueOwnJob();
    this.#hasBegun = true;
    this.#isExclusive = job.crashes >= exclusiveAfterCrashes;
    this.#deps.progressTracker.start(this.id);
    try {
      const work = {
        name: `job ${this.id}`,
        fail: (error: unknown) => this.#uncaught.abort(error),
      };
      await this.#deps.runInErrorScope(work, () => handler(this.#publicRun(job)));
      if (!this.#isDone && !signal.aborted) throw new Error('The run ended before the job did.');
    } catch (thrown) {
      const error: unknown = broken.aborted ? broken.reason : thrown;
      // That one is in the log already.
      if (!broken.aborted && !isStopError(error, signal)) {
        this.#deps.log('error', `The run of job ${this.id} ended with an error: ${describeError(error)}`);
      }
      if (!this.#isDone && !signal.aborted) await this.#fail(failureOfRun(error));
    }
    if (!this.#isDone && signal.aborted) await this.#requeueOwnJob();
    this.#deps.progressTracker.clear(this.id);
  }

  /** The last thing in its life. */
  end(): void {
    this.#isEnded = true;
    this.#markEnded();
  }

  /** What the handler gets to see of it. */
  #publicRun(job: Job): Run {
    const signal = AbortSignal.any([this.#stopping.signal, this.#uncaught.signal]);
    return {
      job,
      signal,
      change: (change) => this.#change(change),
      whileWaiting: (promise) => this.#waiting(promise),
      progress: (fileId, progress) => {
        // A late word of this run must not appear in the book of the run that came after it.
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
   * Sees to it that no job stays `processing` that nobody works on. Where the job was taken from the run, as at a
   * cancel, nothing is written. Tried once, because whoever stops a run waits for it.
   */
  async #requeueOwnJob(): Promise<void> {
    const { store, now, log } = this.#deps;
    try {
      await store.update(this.id, (job) => requeue(job, this.token, now()));
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
