import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHandler, StopReason } from '../../jobs/run.js';
import type { JobQueue, WorkOptions } from '../job-queue.js';
import { type Delay, delay } from '../retry-until-persisted.js';
import { FifoQueue } from './fifo-queue.js';
import { LocalRun, type LocalRunDeps, type RunInErrorScope } from './local-run.js';

/** What a local queue is made of. */
export interface LocalQueueOptions extends Omit<LocalRunDeps, 'delay' | 'runInErrorScope'> {
  /** An unguessable text, another one each time: the token of a claim. */
  readonly randomToken: () => string;
  /** Waiting between two attempts to write; {@link pause} where it is left out. */
  readonly delay?: Delay;
  /** Finds the job that an uncaught error belongs to; without it, uncaught errors belong to no job. */
  readonly runInErrorScope?: RunInErrorScope;
}

/** The longest that Node's timers can wait. */
const maxTimerDelayMs = 2 ** 31 - 1;

/** A queue that lives in this process and keeps nothing of its own on disk: what waits is known from the store. */
export function createLocalQueue(parts: LocalQueueOptions): JobQueue {
  return new LocalQueue(
    { ...parts, delay: parts.delay ?? delay, runInErrorScope: parts.runInErrorScope ?? runWithoutErrorScope },
    parts.randomToken,
  );
}

const runWithoutErrorScope: RunInErrorScope = (_, task) => task();

class LocalQueue implements JobQueue {
  readonly #deps: LocalRunDeps;
  readonly #randomToken: () => string;
  readonly #queue = new FifoQueue();
  /** Every run that takes up a slot, by job: those that only claim their job yet are among them. */
  readonly #runs = new Map<number, LocalRun>();
  /** The job, first in the line, for which all runs must end before it may begin. */
  #exclusiveJobId: number | null = null;
  #handler: RunHandler | null = null;
  #slots = 0;
  #isFilling = false;
  #closing: Promise<void> | null = null;
  readonly #graceEnded = new AbortController();

  constructor(deps: LocalRunDeps, randomToken: () => string) {
    this.#deps = deps;
    this.#randomToken = randomToken;
  }

  async enqueue(id: number): Promise<void> {
    if (this.#closing !== null) return;
    this.#queue.push(id);
    this.#startRuns();
  }

  work(handler: RunHandler, options: WorkOptions): void {
    if (this.#handler !== null) throw new TypeError('The work of a queue can be started only once.');
    this.#handler = handler;
    this.#slots = options.slots;
    this.#startRuns();
  }

  async stop(id: number, reason: StopReason): Promise<void> {
    this.#queue.remove(id);
    if (this.#exclusiveJobId === id) this.#exclusiveJobId = null;
    const run = this.#runs.get(id);
    run?.stop(reason);
    await run?.ended;
    this.#startRuns();
  }

  isRunning(id: number): boolean {
    return this.#runs.get(id)?.hasBegun ?? false;
  }

  running(): readonly number[] {
    return [...this.#runs.values()].filter(({ hasBegun }) => hasBegun).map(({ id }) => id);
  }

  close(graceMs: number): Promise<void> {
    if (this.#closing !== null) this.#graceEnded.abort();
    this.#closing ??= this.#drain(graceMs);
    return this.#closing;
  }

  async #drain(graceMs: number): Promise<void> {
    this.#queue.clear();
    const runs = [...this.#runs.values()];
    for (const run of runs) run.drain();
    const allEnded = Promise.all(runs.map((run) => run.ended));
    const { signal } = this.#graceEnded;
    const grace = sleep(Math.min(graceMs, maxTimerDelayMs), undefined, { signal }).catch(() => {
      // Ended before its time, by a second call or because no run is left.
    });
    await Promise.race([allEnded, grace]);
    this.#graceEnded.abort();
    for (const run of runs) run.stop('draining');
    await allEnded;
  }

  /** Begins as many runs as there is room for, one after the other so that they begin in order. */
  #startRuns(): void {
    if (this.#isFilling || this.#handler === null) return;
    this.#isFilling = true;
    void this.#startAll(this.#handler);
  }

  async #startAll(handler: RunHandler): Promise<void> {
    for (let id = this.#next(); id !== null; id = this.#next()) {
      this.#queue.remove(id);
      this.#exclusiveJobId = null;
      const run = new LocalRun(id, this.#randomToken(), this.#deps);
      this.#runs.set(id, run);
      const claimed = await run.claim(() => this.#runs.size > 1);
      if (claimed === 'passed-over') this.#end(run);
      else if (claimed === 'needs-quiet') this.#requeue(run);
      else void run.execute(claimed, handler).then(() => this.#endAndFill(run));
    }
    // Here and not after an `await` of the caller: an enqueue between that and the loop would go unseen.
    this.#isFilling = false;
  }

  /** The job to begin now, or null: there is none, there is no room, or it has to wait for the others. */
  #next(): number | null {
    if (this.#closing !== null || this.#runs.size >= this.#slots) return null;
    for (const run of this.#runs.values()) if (run.isExclusive) return null;
    const id = this.#queue.findFirst((waiting) => !this.#runs.has(waiting));
    return id !== null && id === this.#exclusiveJobId && this.#runs.size > 0 ? null : id;
  }

  /** Puts a job back to the head of the line, where it waits until all others have ended. */
  #requeue(run: LocalRun): void {
    this.#queue.unshift(run.id);
    this.#exclusiveJobId = run.id;
    this.#end(run);
  }

  #endAndFill(run: LocalRun): void {
    this.#end(run);
    this.#startRuns();
  }

  #end(run: LocalRun): void {
    this.#runs.delete(run.id);
    run.end();
  }
}
