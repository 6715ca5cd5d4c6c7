import { STATUS_CODES } from 'node:http';
import { readNumber } from '../shared/client/coerce.js';
import { parseErrorBody } from '../shared/client/parse-error-body.js';
import { type ErrorClass, errorClasses } from '../shared/error-classes.js';
import { VencError } from '../shared/errors.js';
import { redact } from '../shared/redact.js';
import { type RouteName, routes } from '../shared/routes.js';
import { parseUrl } from '../shared/text/url-text.js';

/** The parts of an error response that an error is made from. */
interface FailedResponse {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  readonly location?: string | undefined;
  /** Base address of the service. */
  readonly url?: string;
  readonly isOwnDaemon?: boolean;
  /** Whether the key is the one in the data folder of the daemon. */
  readonly isOwnerKey?: boolean;
}

const errorClassesByStatus: Readonly<Record<number, ErrorClass>> = {
  400: 'InvalidRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  409: 'ConflictError',
  410: 'GoneError',
  413: 'PayloadTooLargeError',
  415: 'UnsupportedMediaTypeError',
  422: 'InvalidRequestError',
  407: 'UnreachableError',
  429: 'TooManyRequestsError',
  500: 'InternalError',
};

/** Statuses after which it is unknown whether the service acted on the request. */
const ambiguousStatuses = [500, 502, 504];
/** A longer `Retry-After` is ignored. */
const maxRetryAfterSeconds = 30 * 86_400;

/**
 * The error of an error response (section 7). The messages of its body become the messages of the error; without a
 * readable message (an HTML page of a proxy, an empty body) the status gives the message.
 */
export function toServiceError(route: RouteName, subject: string, response: FailedResponse): VencError {
  const bodyMessages = parseErrorBody(response.body).map(redact);
  const isNotService = isMissingService(route, response.status);
  const errorClass = classOf(route, response.status, bodyMessages);
  const isRedirect = response.status >= 300 && response.status < 400;
  const messages =
    bodyMessages.length > 0 && !isNotService && !isRedirect
      ? bodyMessages
      : [defaultMessage(route, subject, isNotService, response)];
  const requestedSeconds = readNumber(response.retryAfter);
  const retryAfterSeconds =
    requestedSeconds !== null && requestedSeconds <= maxRetryAfterSeconds ? requestedSeconds : null;
  const hint = hintOf(route, errorClass, retryAfterSeconds, response, messages);
  return new VencError(errorClass, messages.join('; '), {
    messages,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(hint === null ? {} : { hint }),
  });
}

/** What to do if it is unknown whether the service acted on a request; null for reads, which change nothing. */
export function ambiguityHint(route: RouteName, id?: string | number): string | null {
  if (route === 'createJob') {
    return 'the job may have been created: check with venc list before you submit it again';
  }
  const changes: readonly RouteName[] = ['cancelJob', 'resubmitJob', 'removeJob', 'pauseJob', 'resumeJob'];
  if (!changes.includes(route)) return null;
  return `the request may have taken effect: check with venc show${id === undefined ? '' : ` ${id}`}`;
}

/** Every service with this API has these two routes: if they are missing, the base address is wrong. */
function isMissingService(route: RouteName, status: number): boolean {
  return status === 404 && (route === 'listJobs' || route === 'createJob');
}

function hintOf(
  route: RouteName,
  errorClass: ErrorClass,
  retryAfterSeconds: number | null,
  response: FailedResponse,
  messages: readonly string[],
): string | null {
  if (isMissingService(route, response.status))
    return 'check its address, which ends before /v2, and its key';
  if (response.status >= 300 && response.status < 400) return redirectHint(route, response);
  if (route === 'removeJob' && response.isOwnDaemon === false && [404, 405, 501].includes(response.status)) {
    return 'only the venc daemon can remove jobs (DELETE /v2/jobs/ID)';
  }
  const ambiguity = ambiguousStatuses.includes(response.status) ? ambiguityHint(route) : null;
  if (ambiguity !== null) return ambiguity;
  const shortage = response.isOwnDaemon === false ? null : shortageHint(messages.join());
  if (shortage !== null) return shortage;
  // Retry-After: 0 is no advice, and for errors that are not retryable the hint of the class applies.
  if (errorClasses[errorClass].retryable && (retryAfterSeconds ?? 0) > 0) {
    return `Try again after ${retryAfterSeconds} s, as the service asks.`;
  }
  if (errorClass === 'TooManyRequestsError') return 'try again in a while';
  if (errorClass === 'ForbiddenError' && routes[route].key === 'worker') {
    return 'on the machine of the daemon, create a worker key: venc keys create --worker';
  }
  if (errorClass === 'UnauthorizedError' && /^The (API|worker) key expired on /.test(messages[0] ?? '')) {
    return 'on the machine of the daemon, create another one: venc keys create';
  }
  if (errorClass === 'UnauthorizedError' && response.isOwnDaemon === false) {
    return 'check VENC_API_KEY, or give the target its new key: venc target add NAME URL --force';
  }
  if (errorClass === 'UnauthorizedError' && response.isOwnDaemon === true && response.isOwnerKey === false) {
    return "VENC_API_KEY is set, but this daemon does not know that key; unset it to use the owner's key";
  }
  // The hints of these classes name the daemon's log, which other services do not have.
  if (response.status >= 500 && response.isOwnDaemon === false) {
    return 'try again later; if it persists, contact the operator of the service';
  }
  return null;
}

/** What to do if the disk of the daemon is full; a retry alone does not help. */
function shortageHint(text: string): string | null {
  const advice = 'free space on the machine of the daemon';
  if (/--min-free requires/.test(text)) return `${advice}, or lower its --min-free`;
  return /no space left/.test(text) ? advice : null;
}

function redirectHint(route: RouteName, { location, url }: FailedResponse): string {
  const advice = 'check the address of the service';
  const redirect = location === undefined || url === undefined ? null : parseUrl(location, url);
  if (redirect === null) return advice;
  const { origin, pathname } = redirect;
  const [path = ''] = routes[route].path.split('/:');
  const end = pathname.lastIndexOf(path);
  if (end < 0) return advice;
  return `venc does not send keys to redirected addresses; if you trust it, use ${origin}${pathname.slice(0, end)}`;
}

function classOf(route: RouteName, status: number, bodyMessages: readonly string[]): ErrorClass {
  // 403 has two meanings on a resubmit: a read-only key, or the limit of section 4.4. Only the message distinguishes
  // them.
  if (
    route === 'resubmitJob' &&
    status === 403 &&
    !/read[- ]only|full[- ]access/i.test(bodyMessages.join())
  ) {
    return 'ResubmitLimitError';
  }
  if (isMissingService(route, status)) return 'UnreachableError';
  // Unlike a rate limit, a quota of the account does not end within seconds.
  if (status === 429 && /\bhas reached its limit [a-z_]+:/.test(bodyMessages.join())) return 'QuotaError';
  const known = errorClassesByStatus[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'UnavailableError';
  return status >= 400 ? 'InvalidRequestError' : 'UnreachableError';
}

/** Messages of statuses (section 7), of one route or of any; `it` is replaced by the subject of the request. */
const statusMessages: Readonly<Record<string, string>> = {
  401: 'the service rejects the key (401).',
  404: 'there is no it here.',
  'cancelJob 409': 'it cannot be cancelled: only a job that is waiting or processing can be (409).',
  'pauseJob 409': 'it has ended: only a job that has not ended can be paused (409).',
  'resumeJob 409': 'it has ended: only a job that has not ended can be resumed (409).',
  'removeJob 405': 'the service does not support removing jobs: it cannot be removed (405).',
  'prioritizeJob 409': 'it does not wait: only a waiting job has a place in the queue (409).',
  'removeJob 409': 'it has not ended: only a job that has ended can be removed (409).',
  'resubmitJob 409': 'it is finished: only a job that did not finish can be resubmitted (409).',
  'resubmitJob 403': 'it was resubmitted as often as the service allows (403).',
};

function defaultMessage(
  route: RouteName,
  subject: string,
  isNotService: boolean,
  { status, location, url }: FailedResponse,
): string {
  if (isNotService)
    return `There is no encoding service at ${redact(url ?? 'this address')}: it answered 404.`;
  const statusMessage = statusMessages[`${route} ${status}`] ?? statusMessages[status];
  if (statusMessage !== undefined)
    return statusMessage.replace(/\bit\b/, subject).replace(/^./, (letter) => letter.toUpperCase());
  if (status >= 300 && status < 400) {
    return `The service answered with a redirect (${status}) to ${location === undefined ? 'nowhere' : redact(location)}.`;
  }
  const name = STATUS_CODES[status];
  return `The service answered ${status}${name === undefined ? '' : ` (${name})`} for the ${subject}.`;
}
