import type { JobNotificationBody, OutputNotificationBody } from '../../src/shared/records/notifications.js';
import type { Job } from './job.js';
import type { Notification } from './notification.js';
import { inputDetails, jobHead, outputDetails } from './view.js';

/** What a notice tells, in the state in which the job is now (contract, section 10). */
export function notificationRecord(
  job: Job,
  notification: Notification,
): JobNotificationBody | OutputNotificationBody {
  const head = { job: jobHead(job), input: inputDetails(job) };
  const output = job.outputs.find(({ id }) => id === notification.outputId);
  return output === undefined
    ? { ...head, outputs: job.outputs.map((one) => outputDetails(one)) }
    : { ...head, output: outputDetails(output) };
}
