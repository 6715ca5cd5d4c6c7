import type { RouteName } from '../shared/routes.js';
import { fieldsOf } from './coerce.js';
import { unwrapJob } from './normalise.js';

const recordKeys = ['id', 'state', 'progress', 'current_event', 'current_event_progress'];
const reportKeys = ['total', 'statistics'];

/** By which keys an answer is known: one of them is in it, whatever else a service leaves out. */
const expectedKeys: Readonly<Partial<Record<RouteName, readonly string[]>>> = {
  jobDetails: recordKeys,
  jobProgress: recordKeys,
  inputDetails: recordKeys,
  inputProgress: recordKeys,
  outputDetails: recordKeys,
  outputProgress: recordKeys,
  reportAll: reportKeys,
  reportLive: reportKeys,
  reportVod: reportKeys,
};

/** Whether the answer to a question says anything: one of something else that speaks JSON does not, while an empty list does. */
export function isValidAnswer(route: RouteName, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (route === 'listJobs') return Array.isArray(body) || 'jobs' in body;
  if (route === 'jobDetails' && typeof fieldsOf(body).job === 'object') return true;
  const keys = expectedKeys[route];
  const fields = fieldsOf(unwrapJob(body));
  return keys === undefined ? Object.keys(fields).length > 0 : keys.some((key) => key in fields);
}
