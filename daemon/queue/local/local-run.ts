import { isVencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import { applyAsHolder, type Change } from '../../jobs/changes.js';
import type { Job } from '../../jobs/job.js';
import type { Fault } from '../../jobs/job-failure.js';
import { withReached } from '../../jobs/reached.js';
import type { Run, RunHandler, StopReason } from '../../jobs/run.js';
import type { JobStore } from '../../store/job-store.js';
import { failWhatIsOpen, faultOfRun, isStopped, release, textOf } from '../end-of-run.js';
import type { ProgressBook } from '../progress-tracker.js';
import { type Pause, untilKept } from '../retry-until-persisted.js';
import { type ClaimOutcome, claim, crashesBeforeAlone } from './claim.js';

/** What a run works with. */
export interface RunDesk {
  readonly store: JobStore;
  readonly book: ProgressBook;
  readonly now: () => Date;
  readonly log: Log;
  readonly pause: Pause;
  readonly confine: Confine;
}

/** Work whose errors that nobody caught are known as its own. */
export interface ConfinedWork {
  readonly name: string;
  fail(error: unknown): void;
}

/** Does such work, and settles as it does. */
export type Confine = <T>(work: ConfinedWork, act: () => Promise<T>) => Promise<T>;

/**
 * The life of one attempt at a job: from before its claim, when it takes up a slot already, until nothing of it is
 * left to do. It can be stopped at any moment of it.
 */
export class LocalRun {
  readonly #desk: RunDesk;
  readonly #stopping = new AbortController();
  /** Aborted with an error that nobody caught: it ends the handler, and the job is failed with it. */
  readonly #broken = new AbortController();
  #hasBegun = false;
  #isAlone = false;
  /** Whether a change of this run brought the job to its end, so that nothing is left to be settled. */
  #isDone = false;
  #isOver = false;
  /** How many things the handler waits for, while it does nothing else. */
  #waits = 0;
  #isDraining = false;
  #markEnded: () => void = () => {};

  /** Resolves when the run has let go of its job. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#markEnded = resolve;
  });

  constructor(
    readonly id: number,
    readonly token: string,
    desk: RunDesk,
  ) {
    this.#desk = desk;
  }

  /** Whether the handler was called. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether no other may run beside it. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** The first reason given stays; a run that is over is stopped no more. */
  stop(reason: StopReason): void {
    if (!this.#isOver) this.#stopping.abort(reason);
  }

  /** Stops the run unless it works: what only waits for its turn, now or later, is none of what a closing queue has time for. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#hasBegun || this.#waits > 0) this.stop('draining');
  }

  /**
   * Claims the job, however long it takes the store to find room for that. A run that is stopped meanwhile gives the
   * job back and passes it over; so does one whose job cannot be read, which is logged. Never rejects.
   */
  async claim(hasCompany: () => boolean): Promise<ClaimOutcome> {
    const { store, now, log } = this.#desk;
    const terms = { token: this.token, now, hasCompany };
    let outcome: ClaimOutcome = 'passed-over';
    try {
      outcome = (await this.#untilKept('claimed', () => claim(store, this.id, terms))) ?? 'passed-over';
    } catch (error) {
      log('error', `Job ${this.id} cannot be run: ${textOf(error)}`);
    }
    if (!this.#stopping.signal.aborted) return outcome;
    await this.#giveBack();
    return 'passed-over';
  }

  /** Has the claimed job worked on, and settles what the handler leaves open. Never rejects. */
  async carryOut(job: Job, handler: RunHandler): Promise<void> {
    const { signal } = this.#stopping;
    const { signal: broken } = this.#broken;
    if (signal.aborted) return this.#giveBack();
    this.#hasBegun = true;
    this.#isAlone = job.crashes >= crashesBeforeAlone;
    this.#desk.book.open(this.id);
    try {
      const work = {
        name: `job ${this.id}`,
        fail: (error: unknown) => this.#broken.abort(error),
      };
      await this.#desk.confine(work, () => handler(this.#shown(job)));
      if (!this.#isDone && !signal.aborted) throw new Error('The run ended before the job did.');
    } catch (thrown) {
      const error: unknown = broken.aborted ? broken.reason : thrown;
      // That one is in the log already.
      if (!broken.aborted && !isStopped(error, signal)) {
        this.#desk.log('error', `The run of job ${this.id} ended with an error: ${textOf(error)}`);
      }
      if (!this.#isDone && !signal.aborted) await this.#fail(faultOfRun(error));
    }
    if (!this.#isDone && signal.aborted) await this.#giveBack();
    this.#desk.book.close(this.id);
  }

  /** The last thing in its life. */
  end(): void {
    this.#isOver = true;
    this.#markEnded();
  }

  /** What the handler gets to see of it. */
  #shown(job: Job): Run {
    const signal = AbortSignal.any([this.#stopping.signal, this.#broken.signal]);
    return {
      job,
      signal,
      change: (change) => this.#change(change),
      waiting: (turn) => this.#waiting(turn),
      progress: (fileId, progress) => {
        // A late word of this run must not appear in the book of the run that came after it.
        if (!this.#isOver && !signal.aborted) this.#desk.book.note(this.id, fileId, progress);
      },
    };
  }

  async #waiting<T>(turn: Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#isDraining) this.stop('draining');
    try {
      return await turn;
    } finally {
      this.#waits -= 1;
    }
  }

  async #change(change: Change): Promise<Job> {
    const { store, book, now } = this.#desk;
    try {
      const job = await store.update(this.id, (stored) =>
        withReached(applyAsHolder(stored, this.token, change, now()), book.read(this.id)),
      );
      if (isFinal(job.state)) this.#isDone = true;
      return job;
    } catch (error) {
      if (isVencError(error, 'ClaimLostError')) this.stop('claim-lost');
      throw error;
    }
  }

  async #fail(fault: Fault): Promise<void> {
    const { store, book, now, log } = this.#desk;
    const fail = (job: Job) => withReached(failWhatIsOpen(job, this.token, fault, now()), book.read(this.id));
    try {
      await this.#untilKept('failed', () => store.update(this.id, fail));
    } catch (error) {
      log('error', `Job ${this.id} cannot be failed: ${textOf(error)}`);
    }
  }

  /**
   * Sees to it that no job stays `processing` that nobody works on. Where the job was taken from the run, as at a
   * cancel, nothing is written. Tried once, because whoever stops a run waits for it.
   */
  async #giveBack(): Promise<void> {
    const { store, now, log } = this.#desk;
    try {
      await store.update(this.id, (job) => release(job, this.token, now()));
    } catch (error) {
      log('error', `Job ${this.id} cannot be put back to waiting: ${textOf(error)}`);
    }
  }

  #untilKept<T>(what: string, write: () => Promise<T>): Promise<T | null> {
    const { pause, log } = this.#desk;
    return untilKept(write, {
      signal: this.#stopping.signal,
      pause,
      onFailure: (error, delayMs) =>
        log('warn', `Job ${this.id} cannot be ${what} yet, next attempt in ${delayMs} ms: ${textOf(error)}`),
    });
  }
}
