import type { JobQueue } from '../../../daemon/queue/job-queue.js';
import type { ProgressBook } from '../../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import type { Stage } from '../../helpers/stage.js';

/** What a queue is tried in: an empty store of its own, and all that it may need beside it. */
export interface QueueRoom {
  readonly store: JobStore;
  readonly book: ProgressBook;
  /** A further queue over the same store, as another start of the daemon makes it. */
  openQueue(): JobQueue;
  /** Closes every queue that was opened, then the store. */
  close(): Promise<void>;
}

/** Makes an empty room. */
export type QueueHarness = () => Promise<QueueRoom>;

/** What each fact is tried on: an empty room, its first queue, not yet at work, and a stage for its runs. */
export interface QueueContext extends QueueRoom {
  queue: JobQueue;
  stage: Stage;
}

/** Statements about every queue, each with what proves it. */
export type QueueFacts = Readonly<Record<string, (context: QueueContext) => Promise<void>>>;
