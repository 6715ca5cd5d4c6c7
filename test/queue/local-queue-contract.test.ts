import { jobQueueContract } from '../contracts/job-queue.js';
import { createLocalQueueHarness } from '../helpers/local-queue-harness.js';

jobQueueContract('the local queue', () => createLocalQueueHarness());
