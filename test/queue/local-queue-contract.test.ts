import { jobQueueContract } from '../contracts/job-queue.js';
import { createLocalQueueHarness } from '../helpers/queue-room.js';

jobQueueContract('the local queue', () => createLocalQueueHarness());
