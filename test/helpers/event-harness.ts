import { JobEvents, type JobEventsOptions } from '../../daemon/actions/job-events.js';
import type { JobFeed } from '../../daemon/actions/job-feed.js';
import { apply, type Change } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import { jobProgress } from '../../daemon/jobs/progress-view.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { VencError } from '../../src/shared/errors.js';

/** The times that events keep, as far as a test chooses them. */
export type EventIntervals = Pick<JobEventsOptions, 'minIntervalMs' | 'heartbeatMs'>;

/** A store with one job, a book, and a hub that counts how often it computes. */
export class EventHarness {
  readonly progressTracker = new ProgressTracker();
  readonly events: JobEvents;
  computed = 0;

  constructor(
    readonly store: JobStore,
    readonly id: number,
    times: EventIntervals,
  ) {
    this.events = new JobEvents({
      store,
      progressTracker: this.progressTracker,
      view: (job, progress) => {
        this.computed += 1;
        return jobProgress(job, progress);
      },
      ...times,
    });
  }

  /** Finds the job. */
  readonly read = async (): Promise<Job> => {
    const job = await this.store.get(this.id);
    if (job === null) throw new VencError('NotFoundError', 'There is no such job.');
    return job;
  };

  /** Listens to the job. */
  subscribe(lastEventId?: string): Promise<JobFeed> {
    return this.events.subscribe(this.id, this.read, lastEventId);
  }

  /** Has the job changed in the store. */
  change(change: Change): Promise<Job> {
    return this.store.update(this.id, (job) => apply(job, change, new Date(0)));
  }

  /** Begins a run of it. */
  async run(): Promise<void> {
    await this.change({ type: 'claimed', token: 'a token' });
    this.progressTracker.start(this.id);
  }

  /** Tells how far its input is. */
  note(percent: number): void {
    this.progressTracker.update(this.id, this.id + 1, {
      event: 'downloading',
      percent,
      overallPercent: percent,
    });
  }
}
