import { VencError } from '../../src/shared/errors.js';
import type { JobProgressRecord } from '../../src/shared/records.js';
import type { Job } from '../jobs/job.js';
import type { JobProgress } from '../jobs/progress.js';
import { jobProgress } from '../jobs/progress-view.js';
import type { ProgressTracker } from '../queue/progress-tracker.js';
import type { JobStore } from '../store/job-store.js';
import { JobChannel } from './job-channel.js';
import { JobFeed } from './job-feed.js';

/** What the events are made of. */
export interface JobEventsOptions {
  readonly store: Pick<JobStore, 'watch'>;
  readonly progressTracker: Pick<ProgressTracker, 'watch' | 'read'>;
  /** A job and what is known of its progress, as a record. */
  readonly view?: (job: Job, progress: JobProgress) => JobProgressRecord;
  /** Least milliseconds between two events of a job that are not final. */
  readonly minIntervalMs?: number;
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

  /** How many listen. */
  get listenerCount(): number {
    return [...this.#channels.values()].reduce((count, channel) => count + channel.feeds.length, 0);
  }

  /**
   * Listens to a job, beginning with its present state, unless `takenId` is the id of that. `read` is asked for the job where
   * nobody else listens to it; with what it rejects, so does this. Rejects with `UnavailableError` after the close.
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

  /** Ends every feed; nobody can listen afterwards. */
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
