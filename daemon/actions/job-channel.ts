import { createHash } from 'node:crypto';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job } from '../jobs/job.js';
import type { JobEvent, JobFeed } from './job-feed.js';

/** What a channel works with. */
export interface ChannelDesk {
  /** A job's progress at this moment. */
  readonly view: (job: Job) => JobProgressRecord;
  /** Least milliseconds between two events that are not final; at 0 each change is told by itself. */
  readonly gapMs: number;
}

/**
 * One job that is listened to. However many listen, each change is computed and written down once, and changes that
 * come quickly one after the other are told together; the newest is always told, and a final state at once.
 */
export class JobChannel {
  readonly #desk: ChannelDesk;
  readonly #feeds = new Set<JobFeed>();
  #job: Job | null = null;
  #event: JobEvent | null = null;
  #reading: Promise<Job> | null = null;
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(desk: ChannelDesk) {
    this.#desk = desk;
  }

  get isEmpty(): boolean {
    return this.#feeds.size === 0;
  }

  /** The feeds of those who listen. */
  get feeds(): readonly JobFeed[] {
    return [...this.#feeds];
  }

  /** Has a feed hear what comes, beginning with the newest event where there is one. */
  join(feed: JobFeed): void {
    this.#feeds.add(feed);
    if (this.#event !== null) feed.offer(this.#event);
  }

  leave(feed: JobFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size === 0) this.#stopTimer();
  }

  /** Sees to it that there is an event: `read` finds the job. Of all who ask at once, only the first one's `read` is called. */
  async begin(read: () => Promise<Job>): Promise<void> {
    if (this.#event !== null) return;
    this.#reading ??= read();
    const job = await this.#reading;
    // A change that was told of meanwhile is newer than what was read.
    if (this.#event === null) this.#tell(this.#job ?? job);
  }

  /** Takes the job as it is after a change. */
  change(job: Job): void {
    this.#job = job;
    if (isFinal(job.state)) this.#tell(job);
    else this.progress();
  }

  /** Takes notice that the progress of the job has changed. */
  progress(): void {
    const job = this.#job;
    if (job === null || this.#timer !== null) return;
    const { gapMs } = this.#desk;
    if (gapMs === 0) {
      this.#tell(job);
      return;
    }
    const waitMs = this.#toldAt + gapMs - performance.now();
    // At least until the next tick: one report of an encoder is about several outputs, and told together.
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#tell(this.#job ?? job);
      },
      Math.max(0, waitMs),
    );
  }

  #tell(job: Job): void {
    this.#stopTimer();
    this.#job = job;
    this.#toldAt = performance.now();
    const event = eventOf(this.#desk.view(job), this.#event);
    if (event === this.#event) return;
    this.#event = event;
    for (const feed of this.#feeds) feed.offer(event);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** The event of a record; the one before where that tells the same. */
function eventOf(record: JobProgressRecord, before: JobEvent | null): JobEvent {
  const json = JSON.stringify(record);
  if (json === before?.json) return before;
  return { id: createHash('sha256').update(json).digest('base64url').slice(0, 16), record, json };
}
