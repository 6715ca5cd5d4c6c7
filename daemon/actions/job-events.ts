import { createHash } from 'node:crypto';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job } from '../jobs/job.js';
import { type JobProgress, jobProgress } from '../jobs/progress.js';
import type { ProgressTracker } from '../queue/progress-tracker.js';
import type { JobStore } from '../store/job-store.js';
import { EventHub, type Feed, type StreamEvent, Topic } from './event-hub.js';

/** A job's progress at one moment. Its id is a short digest of the record: equal ids mean equal records. */
export interface JobProgressEvent extends StreamEvent {
  readonly record: JobProgressRecord;
}

/** The dependencies and intervals of `JobEvents`. */
export interface JobEventsOptions {
  readonly store: Pick<JobStore, 'watch'>;
  readonly progressTracker: Pick<ProgressTracker, 'watch' | 'read'>;
  /** Makes the record of a job and its current progress. */
  readonly view?: (job: Job, progress: JobProgress) => JobProgressRecord;
  /** Calls a listener each time that the queue is paused, or no longer. Returns a function that ends this. */
  readonly watchQueue?: (listener: () => void) => () => void;
  /**
   * Minimum interval between two events of a job that are not final, in milliseconds; 0 emits each change separately.
   */
  readonly minIntervalMs?: number;
  /** Interval between two heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
}

/** People cannot follow more than about ten events a second. */
const defaultGapMs = 100;

/** Event streams of jobs. Changes are pushed by the store and the progress tracker; nothing is polled. */
export class JobEvents {
  readonly #hub: EventHub<number, JobProgressEvent, JobTopic>;
  readonly #unwatch: readonly (() => void)[];

  constructor({ store, progressTracker, view = jobProgress, watchQueue, ...intervals }: JobEventsOptions) {
    const { minIntervalMs = defaultGapMs, heartbeatMs } = intervals;
    const viewNow = (job: Job) => view(job, progressTracker.read(job.id));
    this.#hub = new EventHub(() => new JobTopic(viewNow, minIntervalMs), heartbeatMs);
    this.#unwatch = [
      store.watch((job) => this.#hub.get(job.id)?.setJob(job)),
      progressTracker.watch((jobId) => this.#hub.get(jobId)?.notifyProgress()),
      watchQueue?.(() => {
        for (const topic of this.#hub.topics) topic.notifyProgress();
      }) ?? (() => {}),
    ];
  }

  /** The number of subscribers. */
  get listenerCount(): number {
    return this.#hub.listenerCount;
  }

  /**
   * Subscribes to a job. The first event is its current state, unless `lastEventId` is the id of that event. A slow
   * reader gets only the newest event. `read` loads the job if it has no subscriber yet; rejects as `read` does, and
   * with `UnavailableError` after `close`.
   */
  subscribe(
    id: number,
    read: () => Promise<Job>,
    lastEventId: string | null = null,
  ): Promise<Feed<JobProgressEvent>> {
    return this.#hub.subscribe(id, { lastEventId, keepsNewest: true }, (feed, topic) =>
      topic.begin(feed, read),
    );
  }

  /** Ends every feed. Later subscriptions are rejected. */
  close(): void {
    for (const stop of this.#unwatch) stop();
    this.#hub.close();
  }
}

/**
 * The subscribers of one job. Each change is computed and serialized once, however many subscribers there
 * are. Changes that follow quickly are emitted as one event. The newest state is always emitted, a final
 * state at once.
 */
class JobTopic extends Topic<JobProgressEvent> {
  readonly #view: (job: Job) => JobProgressRecord;
  readonly #minIntervalMs: number;
  #job: Job | null = null;
  #event: JobProgressEvent | null = null;
  #loading: Promise<Job> | null = null;
  #emittedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(view: (job: Job) => JobProgressRecord, minIntervalMs: number) {
    super();
    this.#view = view;
    this.#minIntervalMs = minIntervalMs;
  }

  /**
   * Gives a feed the newest event; `read` loads the job if there is none. Concurrent calls share the first one's
   * `read`.
   */
  async begin(feed: Feed<JobProgressEvent>, read: () => Promise<Job>): Promise<void> {
    if (this.#event !== null) return feed.push(this.#event);
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
    if (this.#minIntervalMs === 0) {
      this.#emit(job);
      return;
    }
    const waitMs = this.#emittedAt + this.#minIntervalMs - performance.now();
    // Waits at least until the next tick: one report of an encoder covers several outputs, which are emitted
    // together.
    this.#timer = setTimeout(() => this.#emit(this.#job ?? job), Math.max(0, waitMs));
  }

  override stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #emit(job: Job): void {
    this.stop();
    this.#job = job;
    this.#emittedAt = performance.now();
    const record = this.#view(job);
    const json = JSON.stringify(record);
    if (json === this.#event?.json) return;
    const id = createHash('sha256').update(json).digest('base64url').slice(0, 16);
    this.#event = { id, record, json, isLast: isFinal(record.state) };
    this.publish(this.#event);
  }
}
