import { fieldsOf } from '../shared/client/coerce.js';
import { unwrapJob } from '../shared/client/normalise.js';
import { parseExactJson } from '../shared/client/parse-json.js';
import { VencError } from '../shared/errors.js';
import { type RouteName, routes } from '../shared/routes.js';
import type { HttpResponse } from './http.js';
import type { Target } from './target.js';

/** A successful response. `body` is the parsed JSON, null if it was empty. */
export interface ServiceResponse {
  readonly status: number;
  readonly body: unknown;
  header(name: string): string | undefined;
}

/**
 * Parses a successful response. Throws `UnreachableError` if it is not JSON, or if the response to a GET has none of
 * the expected keys.
 */
export function toServiceResponse(
  target: Target,
  name: RouteName,
  response: HttpResponse,
  text: string,
): ServiceResponse {
  const header = (key: string) => {
    const value = response.headers[key];
    return Array.isArray(value) ? value[0] : value;
  };
  const isEmpty = response.status === 204 || text.trim() === '';
  const body = isEmpty ? null : parseBody(target, text);
  if (routes[name].method !== 'GET' || isValidAnswer(name, body))
    return { status: response.status, body, header };
  const message = `The service at ${new URL(target.url).origin} sent an answer without the expected fields.`;
  throw new VencError('UnreachableError', message, {
    hint: 'check that the address is that of an encoding service',
  });
}

function parseBody(target: Target, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    const { origin } = new URL(target.url);
    const message = /^\s*[[{]/.test(text)
      ? `The service at ${origin} sent invalid JSON.`
      : `The server at ${origin} does not answer with JSON: it is not an encoding service.`;
    throw new VencError('UnreachableError', message, {
      cause: Object.assign(error as Error, { wasSent: true }),
    });
  }
}

const recordKeys = ['id', 'state', 'progress', 'current_event', 'current_event_progress'];
const reportKeys = ['total', 'statistics'];

/** A valid answer to a route has at least one of these keys, even from services that leave others out. */
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

/**
 * Whether an answer has the shape that the route has: an answer of some other JSON service does not, and an empty list
 * does.
 */
function isValidAnswer(route: RouteName, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (route === 'listJobs') return Array.isArray(body) || 'jobs' in body;
  if (route === 'jobDetails' && typeof fieldsOf(body).job === 'object') return true;
  const keys = expectedKeys[route];
  const fields = fieldsOf(unwrapJob(body));
  return keys === undefined ? Object.keys(fields).length > 0 : keys.some((key) => key in fields);
}
