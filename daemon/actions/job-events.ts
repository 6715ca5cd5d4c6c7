import { createHash } from 'node:crypto';
import { VencError } from '../../src/shared/errors.js';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job } from '../jobs/job.js';
import { type JobProgress, jobProgress } from '../jobs/progress.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { ProgressTracker } from '../queue/queue-run.js';
import type { JobStore } from '../store/job-store.js';
import type { LogName, LogStore } from '../store/log-store.js';
import { JobFeed, type JobProgressEvent } from './job-feed.js';
import { LogFeed, type LogQuery, selectLines } from './log-feed.js';

/** The dependencies and intervals of `JobEvents`. */
export interface JobEventsOptions {
  readonly store: Pick<JobStore, 'watch'>;
  readonly progressTracker: Pick<ProgressTracker, 'watch' | 'read'>;
  /** Makes the record of a job and its current progress. */
  readonly view?: (job: Job, progress: JobProgress) => JobProgressRecord;
  /** Minimum interval between two events of a job that are not final, in milliseconds. */
  readonly minIntervalMs?: number;
  /** Interval between two heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
}

/** People cannot follow more than about ten events a second. */
const defaultGapMs = 100;
/** Proxies drop a response that is silent for longer, commonly 30 or 60 seconds. */
const defaultHeartbeatMs = 15_000;

/**
 * Event streams of jobs. Changes are pushed by the store and the progress tracker; nothing is polled. A
 * change of a job without subscribers costs one map look-up, and no timer runs while there are no
 * subscribers.
 */
export class JobEvents {
  readonly #channels = new Map<number, JobChannel>();
  readonly #heartbeatMs: number;
  readonly #createChannel: () => JobChannel;
  readonly #unwatch: readonly (() => void)[];
  #heartbeatTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor({ store, progressTracker, view = jobProgress, ...intervals }: JobEventsOptions) {
    const { minIntervalMs = defaultGapMs, heartbeatMs = defaultHeartbeatMs } = intervals;
    this.#heartbeatMs = heartbeatMs;
    this.#createChannel = () =>
      new JobChannel({ view: (job) => view(job, progressTracker.read(job.id)), minIntervalMs });
    this.#unwatch = [
      store.watch((job) => this.#channels.get(job.id)?.setJob(job)),
      progressTracker.watch((jobId) => this.#channels.get(jobId)?.notifyProgress()),
    ];
  }

  /** The number of subscribers. */
  get listenerCount(): number {
    return [...this.#channels.values()].reduce((count, channel) => count + channel.feeds.length, 0);
  }

  /**
   * Subscribes to a job. The first event is its current state, unless `lastEventId` is the id of that event.
   * `read` loads the job if it has no subscriber yet; rejects as `read` does. Rejects with `UnavailableError`
   * after `close`.
   */
  async subscribe(id: number, read: () => Promise<Job>, lastEventId: string | null = null): Promise<JobFeed> {
    this.#requireOpen();
    const channel = this.#channels.get(id) ?? this.#createChannel();
    const feed = new JobFeed(lastEventId, () => this.#unsubscribe(id, channel, feed));
    this.#channels.set(id, channel);
    this.#heartbeatTimer ??= setInterval(() => this.#sendHeartbeats(), this.#heartbeatMs);
    channel.subscribe(feed);
    try {
      await channel.load(read);
      this.#requireOpen();
      return feed;
    } catch (error) {
      feed.cancel();
      throw error;
    }
  }

  /** Ends every feed. Later subscriptions are rejected. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#unwatch) stop();
    for (const feed of this.#feeds()) feed.end();
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new VencError('UnavailableError', 'The daemon is stopping.', { retryAfterSeconds: 1 });
  }

  #feeds(): readonly JobFeed[] {
    return [...this.#channels.values()].flatMap((channel) => channel.feeds);
  }

  #sendHeartbeats(): void {
    for (const feed of this.#feeds()) feed.pushHeartbeat();
  }

  #unsubscribe(id: number, channel: JobChannel, feed: JobFeed): void {
    channel.unsubscribe(feed);
    if (channel.isEmpty && this.#channels.get(id) === channel) this.#channels.delete(id);
    if (this.#channels.size > 0 || this.#heartbeatTimer === null) return;
    clearInterval(this.#heartbeatTimer);
    this.#heartbeatTimer = null;
  }
}

/** The dependencies of a channel. */
interface JobChannelOptions {
  /** Makes the record of a job's current progress. */
  readonly view: (job: Job) => JobProgressRecord;
  /**
   * Minimum interval between two events that are not final, in milliseconds; 0 emits each change separately.
   */
  readonly minIntervalMs: number;
}

/**
 * The subscribers of one job. Each change is computed and serialized once, however many subscribers there
 * are. Changes that follow quickly are emitted as one event. The newest state is always emitted, a final
 * state at once.
 */
class JobChannel {
  readonly #options: JobChannelOptions;
  readonly #feeds = new Set<JobFeed>();
  #job: Job | null = null;
  #event: JobProgressEvent | null = null;
  #loading: Promise<Job> | null = null;
  #emittedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: JobChannelOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#feeds.size === 0;
  }

  /** The feeds of the subscribers. */
  get feeds(): readonly JobFeed[] {
    return [...this.#feeds];
  }

  /** Adds a feed and gives it the newest event, if there is one. */
  subscribe(feed: JobFeed): void {
    this.#feeds.add(feed);
    if (this.#event !== null) feed.push(this.#event);
  }

  unsubscribe(feed: JobFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size === 0) this.#stopTimer();
  }

  /** Ensures that there is an event; `read` loads the job. Concurrent calls share the first one's `read`. */
  async load(read: () => Promise<Job>): Promise<void> {
    if (this.#event !== null) return;
    this.#loading ??= read();
    const job = await this.#loading;
    // A change that was emitted meanwhile is newer than what was read.
    if (this.#event === null) this.#emit(this.#job ?? job);
  }

  /** Sets the job after a change and emits it, a final state at once. */
  setJob(job: Job): void {
    this.#job = job;
    if (isFinal(job.state)) this.#emit(job);
    else this.notifyProgress();
  }

  /** Schedules an event for changed progress. */
  notifyProgress(): void {
    const job = this.#job;
    if (job === null || this.#timer !== null) return;
    const { minIntervalMs } = this.#options;
    if (minIntervalMs === 0) {
      this.#emit(job);
      return;
    }
    const waitMs = this.#emittedAt + minIntervalMs - performance.now();
    // Waits at least until the next tick: one report of an encoder covers several outputs, which are emitted
    // together.
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#emit(this.#job ?? job);
      },
      Math.max(0, waitMs),
    );
  }

  #emit(job: Job): void {
    this.#stopTimer();
    this.#job = job;
    this.#emittedAt = performance.now();
    const event = createEvent(this.#options.view(job), this.#event);
    if (event === this.#event) return;
    this.#event = event;
    for (const feed of this.#feeds) feed.push(event);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** The event of a record; the previous one if nothing has changed. */
function createEvent(record: JobProgressRecord, previous: JobProgressEvent | null): JobProgressEvent {
  const json = JSON.stringify(record);
  if (json === previous?.json) return previous;
  return { id: createHash('sha256').update(json).digest('base64url').slice(0, 16), record, json };
}

/** The dependencies and intervals of `LogEvents`. */
interface LogEventsOptions {
  readonly logs: Pick<LogStore, 'read' | 'watch'>;
  readonly store: Pick<JobStore, 'get' | 'watch'>;
  readonly queue: Pick<JobQueue, 'isRunning'>;
  /** Interval between two heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
}

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
