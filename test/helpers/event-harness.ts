import type { Feed } from '../../daemon/actions/event-hub.js';
import { JobEvents, type JobEventsOptions, type JobProgressEvent } from '../../daemon/actions/job-events.js';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { jobProgress } from '../../daemon/jobs/progress.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { VencError } from '../../src/shared/errors.js';

/** The event intervals that a test can set. */
export type EventIntervals = Pick<JobEventsOptions, 'minIntervalMs' | 'heartbeatMs'>;

/** A store with one job, a progress tracker, and an event hub that counts how often it computes progress. */
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

  /** Reads the job. */
  readonly read = async (): Promise<Job> => {
    const job = await this.store.get(this.id);
    if (job === null) throw new VencError('NotFoundError', 'There is no such job.');
    return job;
  };

  /** Subscribes to the job. */
  subscribe(lastEventId?: string): Promise<Feed<JobProgressEvent>> {
    return this.events.subscribe(this.id, this.read, lastEventId);
  }

  /** Changes the job in the store. */
  change(change: Change): Promise<Job> {
    return this.store.update(this.id, (job) => apply(job, change, new Date(0)));
  }

  /** Starts a run of the job. */
  async run(): Promise<void> {
    await this.change({ type: 'claimed', token: 'a token' });
    this.progressTracker.start(this.id);
  }

  /** Reports progress of the job's input. */
  note(percent: number): void {
    this.progressTracker.update(this.id, this.id + 1, {
      event: 'downloading',
      percent,
      overallPercent: percent,
    });
  }
}
