import type { JobQueue } from '../../../daemon/queue/job-queue.js';
import type { ProgressTracker } from '../../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import type { HandlerFixture } from '../../helpers/handler-fixture.js';

/** The environment of one test: an empty store and a progress tracker. */
export interface QueueHarness {
  readonly store: JobStore;
  readonly progressTracker: ProgressTracker;
  /** Opens another queue over the same store, as a restarted daemon does. */
  openQueue(): JobQueue | Promise<JobQueue>;
  /** Closes every queue that was opened, then the store. */
  close(): Promise<void>;
}

/** Creates a harness with an empty store. */
export type CreateQueueHarness = () => Promise<QueueHarness>;

/** The context of each test: an empty harness, its first queue, which has not started yet, and a handler that the test controls. */
export interface QueueContext extends QueueHarness {
  queue: JobQueue;
  fixture: HandlerFixture;
}

/** Statements about every queue, each with its test. */
export type QueueFacts = Readonly<Record<string, (context: QueueContext) => Promise<void>>>;
