import type { JobQueue } from '../../../daemon/queue/job-queue.js';
import type { ProgressTracker } from '../../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import type { HandlerFixture } from '../../helpers/handler-fixture.js';

/** What a queue is tried in: an empty store of its own, and all that it may need beside it. */
export interface QueueHarness {
  readonly store: JobStore;
  readonly progressTracker: ProgressTracker;
  /** A further queue over the same store, as another start of the daemon makes it. */
  openQueue(): JobQueue;
  /** Closes every queue that was opened, then the store. */
  close(): Promise<void>;
}

/** Makes an empty room. */
export type CreateQueueHarness = () => Promise<QueueHarness>;

/** What each fact is tried on: an empty room, its first queue, not yet at work, and a stage for its runs. */
export interface QueueContext extends QueueHarness {
  queue: JobQueue;
  fixture: HandlerFixture;
}

/** Statements about every queue, each with what proves it. */
export type QueueFacts = Readonly<Record<string, (context: QueueContext) => Promise<void>>>;
