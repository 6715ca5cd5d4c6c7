import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHandler, StopReason } from '../../jobs/run.js';
import type { JobQueue, WorkOptions } from '../job-queue.js';
import { type Delay, delay } from '../retry-until-persisted.js';
import { LocalRun, type LocalRunDeps, type RunInErrorScope } from './local-run.js';

/** The dependencies of a local queue. */
export interface LocalQueueOptions extends Omit<LocalRunDeps, 'delay' | 'runInErrorScope'> {
  /** Returns a new unguessable token for each claim. */
  readonly randomToken: () => string;
  /** The delay between two attempts to write; {@link delay} by default. */
  readonly delay?: Delay;
  /** Assigns uncaught errors to jobs; without it, they belong to no job. */
  readonly runInErrorScope?: RunInErrorScope;
}

/** The maximum delay of Node's timers. */
const maxTimerDelayMs = 2 ** 31 - 1;

/** A queue in this process that stores nothing on disk: the waiting jobs are known from the store. */
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
  /** Every run that occupies a slot, by job, including those that are still claiming their job. */
  readonly #runs = new Map<number, LocalRun>();
  /** The first job in the queue, if all runs must end before it may begin. */
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
      // Ended early, by a second call or because no run is left.
    });
    await Promise.race([allEnded, grace]);
    this.#graceEnded.abort();
    for (const run of runs) run.stop('draining');
    await allEnded;
  }

  /** Starts as many runs as there are free slots, one after the other so that they begin in order. */
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
      else if (claimed === 'needs-exclusive-run') this.#requeue(run);
      else void run.execute(claimed, handler).then(() => this.#endAndFill(run));
    }
    // Here and not after an `await` of the caller: an enqueue in between would go unnoticed.
    this.#isFilling = false;
  }

  /** The job to start now; null if there is none, no slot is free, or it has to wait for the others. */
  #next(): number | null {
    if (this.#closing !== null || this.#runs.size >= this.#slots) return null;
    for (const run of this.#runs.values()) if (run.isExclusive) return null;
    const id = this.#queue.findFirst((waiting) => !this.#runs.has(waiting));
    return id !== null && id === this.#exclusiveJobId && this.#runs.size > 0 ? null : id;
  }

  /** Puts a job back at the head of the queue, where it waits until all others have ended. */
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

/** Jobs that wait for a slot, each once, in order of arrival. */
class FifoQueue {
  #ids = new Set<number>();

  /** Adds a job at the end; a job that waits already keeps its position. */
  push(id: number): void {
    this.#ids.add(id);
  }

  /** Puts a job back at the front. */
  unshift(id: number): void {
    this.#ids = new Set([id, ...this.#ids]);
  }

  remove(id: number): void {
    this.#ids.delete(id);
  }

  clear(): void {
    this.#ids.clear();
  }

  /** The first job that is ready, or null. */
  findFirst(isReady: (id: number) => boolean): number | null {
    for (const id of this.#ids) if (isReady(id)) return id;
    return null;
  }
}
