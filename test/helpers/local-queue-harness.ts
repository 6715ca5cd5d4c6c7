import { randomBytes } from 'node:crypto';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { createLocalQueue, type LocalQueueOptions } from '../../daemon/queue/local/local-queue.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import type { QueueHarness } from '../contracts/job-queue/queue-facts.js';
import { tempFolder } from './temp.js';

/** The environment of local queues, with the log that they write. */
export interface LocalQueueHarness extends QueueHarness {
  openQueue(): JobQueue;
  readonly logLines: readonly string[];
}

/** Creates local queues over the store that a daemon uses. `over` wraps the store. */
export async function createLocalQueueHarness(
  over: (store: JobStore) => JobStore = (store) => store,
  parts: Partial<LocalQueueOptions> = {},
): Promise<LocalQueueHarness> {
  const logLines: string[] = [];
  const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
  const store = await openJobStore(tempFolder(), { log });
  const progressTracker = new ProgressTracker();
  const queues: JobQueue[] = [];
  return {
    store,
    progressTracker,
    logLines,
    openQueue() {
      const queue = createLocalQueue({
        store: over(store),
        progressTracker,
        now: () => new Date(),
        randomToken: () => randomBytes(16).toString('hex'),
        log,
        ...parts,
      });
      queues.push(queue);
      return queue;
    },
    async close() {
      for (const queue of queues) await queue.close(0);
      await store.close();
    },
  };
}
