import { createHash } from 'node:crypto';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job } from '../jobs/job.js';
import type { JobFeed, JobProgressEvent } from './job-feed.js';

/** What a channel works with. */
export interface JobChannelOptions {
  /** A job's progress at this moment. */
  readonly view: (job: Job) => JobProgressRecord;
  /** Least milliseconds between two events that are not final; at 0 each change is told by itself. */
  readonly minIntervalMs: number;
}

/**
 * One job that is listened to. However many listen, each change is computed and written down once, and changes that
 * come quickly one after the other are told together; the newest is always told, and a final state at once.
 */
export class JobChannel {
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

  /** The feeds of those who listen. */
  get feeds(): readonly JobFeed[] {
    return [...this.#feeds];
  }

  /** Has a feed hear what comes, beginning with the newest event where there is one. */
  subscribe(feed: JobFeed): void {
    this.#feeds.add(feed);
    if (this.#event !== null) feed.push(this.#event);
  }

  unsubscribe(feed: JobFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size === 0) this.#stopTimer();
  }

  /** Sees to it that there is an event: `read` finds the job. Of all who ask at once, only the first one's `read` is called. */
  async load(read: () => Promise<Job>): Promise<void> {
    if (this.#event !== null) return;
    this.#loading ??= read();
    const job = await this.#loading;
    // A change that was told of meanwhile is newer than what was read.
    if (this.#event === null) this.#emit(this.#job ?? job);
  }

  /** Takes the job as it is after a change. */
  setJob(job: Job): void {
    this.#job = job;
    if (isFinal(job.state)) this.#emit(job);
    else this.notifyProgress();
  }

  /** Takes notice that the progress of the job has changed. */
  notifyProgress(): void {
    const job = this.#job;
    if (job === null || this.#timer !== null) return;
    const { minIntervalMs } = this.#options;
    if (minIntervalMs === 0) {
      this.#emit(job);
      return;
    }
    const waitMs = this.#emittedAt + minIntervalMs - performance.now();
    // At least until the next tick: one report of an encoder is about several outputs, and told together.
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

/** The event of a record; the one before where that tells the same. */
function createEvent(record: JobProgressRecord, previous: JobProgressEvent | null): JobProgressEvent {
  const json = JSON.stringify(record);
  if (json === previous?.json) return previous;
  return { id: createHash('sha256').update(json).digest('base64url').slice(0, 16), record, json };
}
