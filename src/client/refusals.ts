import { type ErrorClass, errorClasses } from '../api/error-classes.js';
import { VencError } from '../api/errors.js';
import { redact } from '../api/redact.js';
import type { RouteName } from '../api/routes.js';
import { fieldsOf, itemsOf, readNumber, readText } from './reading.js';

/** What is needed of an answer to tell what went wrong. */
export interface RefusedAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  readonly location?: string | undefined;
}

const classesByStatus: Readonly<Record<number, ErrorClass>> = {
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
  429: 'TooManyRequestsError',
  500: 'InternalError',
};

/**
 * The error that a refusing answer amounts to (section 7; contract of `{"errors": [...]}`). What the service says becomes the
 * complaints; where it says nothing readable (an HTML page of a proxy, an empty body) the status stands in for it.
 */
export function refusalOf(route: RouteName, subject: string, answer: RefusedAnswer): VencError {
  const said = complaintsOf(answer.body);
  const errorClass = classOf(route, answer.status, said);
  const message = said.length > 0 ? said.join('; ') : silentMessage(subject, answer);
  const isRetryable = errorClasses[errorClass].retryable;
  const retryAfterSeconds = readNumber(answer.retryAfter);
  return new VencError(errorClass, message, {
    ...(said.length > 0 ? { complaints: said } : {}),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    // Zero says nothing, and where trying again is of no use the advice of the class says what is.
    ...(isRetryable && (retryAfterSeconds ?? 0) > 0
      ? { hint: `Try again after ${retryAfterSeconds} s, as the service asks.` }
      : {}),
  });
}

function classOf(route: RouteName, status: number, said: readonly string[]): ErrorClass {
  // 403 has two meanings on a resubmit, and only the words tell a read-only key from the limit of section 4.4.
  if (route === 'resubmitJob' && status === 403 && !/read[- ]only|full[- ]access/i.test(said.join())) {
    return 'ResubmitLimitError';
  }
  const known = classesByStatus[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'UnavailableError';
  return status >= 400 ? 'InvalidRequestError' : 'UnreachableError';
}

function complaintsOf(body: string): readonly string[] {
  try {
    const fields = fieldsOf(JSON.parse(body));
    const errors = Array.isArray(fields.errors) ? fields.errors : [fields.errors ?? fields.error];
    return errors.flatMap((error: unknown) => {
      const text = readText(error) ?? readText(fieldsOf(error).message) ?? itemsOf(error).map(readText)[0];
      return text === null || text === undefined || text === '' ? [] : [redact(text)];
    });
  } catch {
    return [];
  }
}

function silentMessage(subject: string, { status, location }: RefusedAnswer): string {
  if (status === 404) return `There is no ${subject} here.`;
  if (status >= 300 && status < 400) {
    return `The service answered with a redirect (${status}) to ${location === undefined ? 'nowhere' : redact(location)}.`;
  }
  return `The service answered ${status} for the ${subject}.`;
}
