import { exitCodes } from './exit-codes.js';
import { type ErrorClassEntry, jobErrorClasses, requestRejection } from './job-error-classes.js';

/**
 * Every error class: first those of a failed input or output (`error_class`), then those of a failed request or
 * command.
 */
export const errorClasses = {
  ...jobErrorClasses,

  UnparsableBodyError: requestRejection(
    400,
    exitCodes.usage,
    'The body of the request could not be parsed.',
    'Send valid JSON or XML.',
  ),
  InvalidCallbackError: requestRejection(
    400,
    exitCodes.usage,
    'The callback name is not valid.',
    'Use the name of a function, such as showProgress.',
  ),
  UnauthorizedError: requestRejection(
    401,
    exitCodes.unauthorized,
    'The API key is missing or unknown.',
    'Send the key in the header Service-Api-Key; the CLI reads it from VENC_API_KEY.',
  ),
  ForbiddenError: requestRejection(
    403,
    exitCodes.unauthorized,
    'The API key does not allow this.',
    'Use a full access key.',
  ),
  ResubmitLimitError: requestRejection(
    403,
    exitCodes.conflict,
    'The job has reached the maximum number of resubmits.',
    'Submit it as a new job.',
  ),
  NotFoundError: requestRejection(
    404,
    exitCodes.notFound,
    'Not found.',
    'Check the id and the key: removed jobs and jobs of other accounts are also reported as not found.',
  ),
  MethodNotAllowedError: requestRejection(
    405,
    exitCodes.usage,
    'The URL does not support this method.',
    'The header Allow lists the supported methods.',
  ),
  ConflictError: requestRejection(
    409,
    exitCodes.conflict,
    'The state of the job does not allow this.',
    'Check the state with venc show.',
  ),
  GoneError: requestRejection(
    410,
    exitCodes.notFound,
    'It existed, but has been removed.',
    'Encode it again: hosted files are kept for 24 hours.',
  ),
  PayloadTooLargeError: requestRejection(
    413,
    exitCodes.usage,
    'The body of the request is too large.',
    'Keep requests below 1 MiB.',
  ),
  UnsupportedMediaTypeError: requestRejection(
    415,
    exitCodes.usage,
    'The content type of the body is not supported.',
    'Send JSON or XML.',
  ),
  InvalidRequestError: requestRejection(
    422,
    exitCodes.usage,
    'The request is not valid.',
    'Correct the errors in the messages.',
  ),
  TooManyRequestsError: requestRejection(
    429,
    exitCodes.unreachable,
    'Too many requests.',
    'Wait for the time in Retry-After.',
  ),
  InternalError: requestRejection(
    500,
    exitCodes.unreachable,
    'Internal error of the service.',
    'Check the log of the daemon.',
  ),
  UnavailableError: requestRejection(
    503,
    exitCodes.unreachable,
    'The service accepts no jobs at the moment.',
    'Try again later; /health reports the reason.',
  ),

  UsageError: requestRejection(400, exitCodes.usage, 'The command is not valid.', 'See --help.'),
  UnreachableError: requestRejection(
    502,
    exitCodes.unreachable,
    'The service could not be reached.',
    'Start the daemon with "venc daemon", or name another service with VENC_URL.',
  ),
  JobFailedError: requestRejection(
    500,
    exitCodes.jobFailed,
    'The job did not finish.',
    'See venc show for the reason.',
  ),
  TimedOutError: requestRejection(
    504,
    exitCodes.timedOut,
    'Timed out (--timeout).',
    'The job continues; wait again.',
  ),
  InterruptedError: requestRejection(499, exitCodes.interrupted, 'Interrupted.', 'Nothing was lost.'),
  InUseError: requestRejection(
    409,
    exitCodes.conflict,
    'It is in use by another program.',
    'Stop the other program, or choose something else.',
  ),
  IllegalChangeError: requestRejection(
    409,
    exitCodes.conflict,
    'The job cannot change in this way.',
    'Check its state.',
  ),
  ClaimLostError: requestRejection(
    409,
    exitCodes.conflict,
    'The run no longer holds the job: it was cancelled, resubmitted or claimed again.',
    'Nothing to do.',
  ),
} as const satisfies Record<string, ErrorClassEntry>;

/** The name of an error class. */
export type ErrorClass = keyof typeof errorClasses;

/** Whether a text is the name of an error class of this version. */
export function isErrorClass(text: string): text is ErrorClass {
  return Object.hasOwn(errorClasses, text);
}
