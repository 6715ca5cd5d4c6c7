import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHandler, StopReason } from '../../jobs/run.js';
import type { JobQueue, WorkOptions } from '../job-queue.js';
import { type Pause, pause } from '../retry-until-persisted.js';
import { WaitingLine } from './fifo-queue.js';
import { type Confine, LocalRun, type RunDesk } from './local-run.js';

/** What a local queue is made of. */
export interface LocalQueueParts extends Omit<RunDesk, 'pause' | 'confine'> {
  /** An unguessable text, another one each time: the token of a claim. */
  readonly randomToken: () => string;
  /** Waiting between two attempts to write; {@link pause} where it is left out. */
  readonly pause?: Pause;
  /** Finds the job that an uncaught error belongs to; without it, uncaught errors belong to no job. */
  readonly confine?: Confine;
}

/** The longest that Node's timers can wait. */
const longestDelayMs = 2 ** 31 - 1;

/** A queue that lives in this process and keeps nothing of its own on disk: what waits is known from the store. */
export function createLocalQueue(parts: LocalQueueParts): JobQueue {
  return new LocalQueue(
    { ...parts, pause: parts.pause ?? pause, confine: parts.confine ?? unconfined },
    parts.randomToken,
  );
}

const unconfined: Confine = (_, act) => act();

class LocalQueue implements JobQueue {
  readonly #desk: RunDesk;
  readonly #randomToken: () => string;
  readonly #line = new WaitingLine();
  /** Every run that takes up a slot, by job: those that only claim their job yet are among them. */
  readonly #runs = new Map<number, LocalRun>();
  /** The job, first in the line, for which all runs must end before it may begin. */
  #waitsForQuiet: number | null = null;
  #handler: RunHandler | null = null;
  #slots = 0;
  #isFilling = false;
  #closing: Promise<void> | null = null;
  readonly #graceOver = new AbortController();

  constructor(desk: RunDesk, randomToken: () => string) {
    this.#desk = desk;
    this.#randomToken = randomToken;
  }

  async enqueue(id: number): Promise<void> {
    if (this.#closing !== null) return;
    this.#line.join(id);
    this.#fill();
  }

  work(handler: RunHandler, options: WorkOptions): void {
    if (this.#handler !== null) throw new TypeError('The work of a queue can be started only once.');
    this.#handler = handler;
    this.#slots = options.slots;
    this.#fill();
  }

  async stop(id: number, reason: StopReason): Promise<void> {
    this.#line.leave(id);
    if (this.#waitsForQuiet === id) this.#waitsForQuiet = null;
    const run = this.#runs.get(id);
    run?.stop(reason);
    await run?.ended;
    this.#fill();
  }

  isRunning(id: number): boolean {
    return this.#runs.get(id)?.hasBegun ?? false;
  }

  running(): readonly number[] {
    return [...this.#runs.values()].filter(({ hasBegun }) => hasBegun).map(({ id }) => id);
  }

  close(graceMs: number): Promise<void> {
    if (this.#closing !== null) this.#graceOver.abort();
    this.#closing ??= this.#drain(graceMs);
    return this.#closing;
  }

  async #drain(graceMs: number): Promise<void> {
    this.#line.clear();
    const runs = [...this.#runs.values()];
    for (const run of runs) run.drain();
    const allEnded = Promise.all(runs.map((run) => run.ended));
    const { signal } = this.#graceOver;
    const grace = sleep(Math.min(graceMs, longestDelayMs), undefined, { signal }).catch(() => {
      // Ended before its time, by a second call or because no run is left.
    });
    await Promise.race([allEnded, grace]);
    this.#graceOver.abort();
    for (const run of runs) run.stop('draining');
    await allEnded;
  }

  /** Begins as many runs as there is room for, one after the other so that they begin in order. */
  #fill(): void {
    if (this.#isFilling || this.#handler === null) return;
    this.#isFilling = true;
    void this.#beginAll(this.#handler);
  }

  async #beginAll(handler: RunHandler): Promise<void> {
    for (let id = this.#next(); id !== null; id = this.#next()) {
      this.#line.leave(id);
      this.#waitsForQuiet = null;
      const run = new LocalRun(id, this.#randomToken(), this.#desk);
      this.#runs.set(id, run);
      const claimed = await run.claim(() => this.#runs.size > 1);
      if (claimed === 'passed-over') this.#end(run);
      else if (claimed === 'needs-quiet') this.#putOff(run);
      else void run.carryOut(claimed, handler).then(() => this.#endAndFill(run));
    }
    // Here and not after an `await` of the caller: an enqueue between that and the loop would go unseen.
    this.#isFilling = false;
  }

  /** The job to begin now, or null: there is none, there is no room, or it has to wait for the others. */
  #next(): number | null {
    if (this.#closing !== null || this.#runs.size >= this.#slots) return null;
    for (const run of this.#runs.values()) if (run.isAlone) return null;
    const id = this.#line.first((waiting) => !this.#runs.has(waiting));
    return id !== null && id === this.#waitsForQuiet && this.#runs.size > 0 ? null : id;
  }

  /** Puts a job back to the head of the line, where it waits until all others have ended. */
  #putOff(run: LocalRun): void {
    this.#line.rejoinFirst(run.id);
    this.#waitsForQuiet = run.id;
    this.#end(run);
  }

  #endAndFill(run: LocalRun): void {
    this.#end(run);
    this.#fill();
  }

  #end(run: LocalRun): void {
    this.#runs.delete(run.id);
    run.end();
  }
}
