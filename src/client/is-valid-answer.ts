import type { RouteName } from '../shared/routes.js';
import { unwrapJob } from './normalise.js';
import { fieldsOf } from './read-values.js';

const ofRecords = ['id', 'state', 'progress', 'current_event', 'current_event_progress'];
const ofReports = ['total', 'statistics'];

/** By which keys an answer is known: one of them is in it, whatever else a service leaves out. */
const keysOf: Readonly<Partial<Record<RouteName, readonly string[]>>> = {
  jobDetails: ofRecords,
  jobProgress: ofRecords,
  inputDetails: ofRecords,
  inputProgress: ofRecords,
  outputDetails: ofRecords,
  outputProgress: ofRecords,
  reportAll: ofReports,
  reportLive: ofReports,
  reportVod: ofReports,
};

/** Whether the answer to a question says anything: one of something else that speaks JSON does not, while an empty list does. */
export function tells(route: RouteName, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (route === 'listJobs') return Array.isArray(body) || 'jobs' in body;
  if (route === 'jobDetails' && typeof fieldsOf(body).job === 'object') return true;
  const keys = keysOf[route];
  const fields = fieldsOf(unwrapJob(body));
  return keys === undefined ? Object.keys(fields).length > 0 : keys.some((key) => key in fields);
}
