import { VencError } from '../../src/shared/errors.js';
import type { JobProgressRecord } from '../../src/shared/records.js';
import type { Job } from '../jobs/job.js';
import type { JobProgress } from '../jobs/progress.js';
import { jobProgress } from '../jobs/progress-view.js';
import type { ProgressBook } from '../queue/progress-tracker.js';
import type { JobStore } from '../store/job-store.js';
import { JobChannel } from './job-channel.js';
import { JobFeed } from './job-feed.js';

/** What the events are made of. */
export interface JobEventsParts {
  readonly store: Pick<JobStore, 'watch'>;
  readonly book: Pick<ProgressBook, 'watch' | 'read'>;
  /** A job and what is known of its progress, as a record. */
  readonly view?: (job: Job, progress: JobProgress) => JobProgressRecord;
  /** Least milliseconds between two events of a job that are not final. */
  readonly gapMs?: number;
  /** Milliseconds between two signs of life. */
  readonly heartbeatMs?: number;
}

/** About ten events a second are as many as an eye can follow. */
const defaultGapMs = 100;
/** Proxies give an answer up that is silent for longer, commonly after 30 or 60 seconds. */
const defaultHeartbeatMs = 15_000;

/**
 * Where jobs can be listened to. What changes is heard from the store and the progress book, nothing is asked again and
 * again. Costs a look into a table for each change of a job that nobody listens to; no timer runs while nobody listens at all.
 */
export class JobEvents {
  readonly #channels = new Map<number, JobChannel>();
  readonly #heartbeatMs: number;
  readonly #channelOf: () => JobChannel;
  readonly #unwatch: readonly (() => void)[];
  #heart: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor({ store, book, view = jobProgress, ...times }: JobEventsParts) {
    const { gapMs = defaultGapMs, heartbeatMs = defaultHeartbeatMs } = times;
    this.#heartbeatMs = heartbeatMs;
    this.#channelOf = () => new JobChannel({ view: (job) => view(job, book.read(job.id)), gapMs });
    this.#unwatch = [
      store.watch((job) => this.#channels.get(job.id)?.change(job)),
      book.watch((jobId) => this.#channels.get(jobId)?.progress()),
    ];
  }

  /** How many listen. */
  get listenerCount(): number {
    return [...this.#channels.values()].reduce((count, channel) => count + channel.feeds.length, 0);
  }

  /**
   * Listens to a job, beginning with its present state, unless `takenId` is the id of that. `read` is asked for the job where
   * nobody else listens to it; with what it rejects, so does this. Rejects with `UnavailableError` after the close.
   */
  async listen(id: number, read: () => Promise<Job>, takenId: string | null = null): Promise<JobFeed> {
    this.#refuseWhenClosed();
    const channel = this.#channels.get(id) ?? this.#channelOf();
    const feed = new JobFeed(takenId, () => this.#leave(id, channel, feed));
    this.#channels.set(id, channel);
    this.#heart ??= setInterval(() => this.#beat(), this.#heartbeatMs);
    channel.join(feed);
    try {
      await channel.begin(read);
      this.#refuseWhenClosed();
      return feed;
    } catch (error) {
      feed.cancel();
      throw error;
    }
  }

  /** Ends every feed; nobody can listen afterwards. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#unwatch) stop();
    for (const feed of this.#feeds()) feed.end();
  }

  #refuseWhenClosed(): void {
    if (!this.#isClosed) return;
    throw new VencError('UnavailableError', 'The daemon is stopping.', { retryAfterSeconds: 1 });
  }

  #feeds(): readonly JobFeed[] {
    return [...this.#channels.values()].flatMap((channel) => channel.feeds);
  }

  #beat(): void {
    for (const feed of this.#feeds()) feed.offerBeat();
  }

  #leave(id: number, channel: JobChannel, feed: JobFeed): void {
    channel.leave(feed);
    if (channel.isEmpty && this.#channels.get(id) === channel) this.#channels.delete(id);
    if (this.#channels.size > 0 || this.#heart === null) return;
    clearInterval(this.#heart);
    this.#heart = null;
  }
}
