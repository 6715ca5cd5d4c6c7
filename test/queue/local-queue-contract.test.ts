import { jobQueueContract } from '../contracts/job-queue.js';
import { localQueueRoom } from '../helpers/queue-room.js';

jobQueueContract('the local queue', () => localQueueRoom());
