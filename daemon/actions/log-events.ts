import { VencError } from '../../src/shared/errors.js';
import { isFinal } from '../../src/shared/states.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { JobStore } from '../store/job-store.js';
import type { LogName, LogStore } from '../store/log-store.js';
import { LogFeed } from './log-feed.js';
import { type LogQuery, selectLines } from './select-lines.js';

/** The dependencies and intervals of `LogEvents`. */
export interface LogEventsOptions {
  readonly logs: Pick<LogStore, 'read' | 'watch'>;
  readonly store: Pick<JobStore, 'get' | 'watch'>;
  readonly queue: Pick<JobQueue, 'isRunning'>;
  /** Interval between two heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
}

/** Proxies drop a response that is silent for longer, commonly 30 or 60 seconds. */
const defaultHeartbeatMs = 15_000;
/** How often a job that is final is checked for the end of its run, in milliseconds. Its last lines are written until then. */
const endCheckMs = 50;

/**
 * Event streams of logs. New lines are pushed; no file is read after the subscription, and no timer runs while there are no
 * subscribers.
 */
export class LogEvents {
  readonly #options: LogEventsOptions;
  readonly #feeds = new Map<LogName, Set<LogFeed>>();
  readonly #unwatch: readonly (() => void)[];
  #heartbeatTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: LogEventsOptions) {
    this.#options = options;
    this.#unwatch = [
      options.logs.watch((name, line) => {
        for (const feed of this.#feeds.get(name) ?? []) feed.push(line);
      }),
      options.store.watch(({ id, state }) => {
        if (isFinal(state) && this.#feeds.has(id)) this.#endAfterRun(id);
      }),
    ];
  }

  /**
   * Subscribes to a log: first the lines that `query` selects or, after a broken stream, those after `lastEventId`; then new ones, until
   * the job is final. Resolves to null if no line will follow. Rejects with `UnavailableError` after `close`. The caller must cancel the
   * feed or read it to its end.
   */
  async subscribe(name: LogName, query: LogQuery, lastEventId: string | null): Promise<LogFeed | null> {
    if (this.#isClosed)
      throw new VencError('UnavailableError', 'The daemon is stopping.', { retryAfterSeconds: 1 });
    const feed = new LogFeed(query.level, () => this.#remove(name, feed));
    const feeds = this.#feeds.get(name) ?? new Set();
    this.#feeds.set(name, feeds.add(feed));
    const { heartbeatMs = defaultHeartbeatMs } = this.#options;
    this.#heartbeatTimer ??= setInterval(() => this.#sendHeartbeats(), heartbeatMs);
    try {
      const isOver = name !== 'daemon' && (await this.#isOver(name));
      feed.begin(selectLines(await this.#options.logs.read(name), query, lastEventId));
      if (isOver) feed.end();
      else if (name !== 'daemon' && (await this.#isFinal(name))) this.#endAfterRun(name);
      return feed.isDone ? null : feed;
    } catch (error) {
      feed.cancel();
      throw error;
    }
  }

  /** Ends every feed. Later subscriptions are rejected. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#unwatch) stop();
    for (const feeds of [...this.#feeds.values()]) for (const feed of [...feeds]) feed.end();
  }

  async #isFinal(id: number): Promise<boolean> {
    const job = await this.#options.store.get(id).catch(() => null);
    return job === null || isFinal(job.state);
  }

  async #isOver(id: number): Promise<boolean> {
    return (await this.#isFinal(id)) && !this.#options.queue.isRunning(id);
  }

  /** Ends the feeds of a final job when its run has ended, unless it was resubmitted meanwhile. */
  #endAfterRun(id: number): void {
    const check = async () => {
      if (!this.#feeds.has(id)) return;
      if (this.#options.queue.isRunning(id)) this.#endAfterRun(id);
      else if (await this.#isFinal(id)) for (const feed of [...(this.#feeds.get(id) ?? [])]) feed.end();
    };
    setTimeout(() => void check(), endCheckMs).unref();
  }

  #sendHeartbeats(): void {
    for (const feeds of this.#feeds.values()) for (const feed of feeds) feed.pushHeartbeat();
  }

  #remove(name: LogName, feed: LogFeed): void {
    const feeds = this.#feeds.get(name);
    feeds?.delete(feed);
    if (feeds?.size === 0) this.#feeds.delete(name);
    if (this.#feeds.size > 0 || this.#heartbeatTimer === null) return;
    clearInterval(this.#heartbeatTimer);
    this.#heartbeatTimer = null;
  }
}
