import { type ExitCode, exitCodes } from './exit-codes.js';

/** What a class of error means and what follows from it, wherever it is met. */
export interface ErrorClassEntry {
  /** One sentence for the reader of a failed job or request. */
  readonly meaning: string;
  /** The HTTP status the daemon answers with when a request ends so. */
  readonly status: number;
  /** The exit code of a command that ends so. */
  readonly exitCode: ExitCode;
  /** What the person can do; says whether trying again makes sense. */
  readonly advice: string;
  /** Whether the same job, unchanged, may succeed when it is resubmitted. */
  readonly retryable: boolean;
}

const jobFailure = (meaning: string, retryable: boolean, advice: string): ErrorClassEntry => ({
  meaning,
  status: 422,
  exitCode: exitCodes.jobFailed,
  advice,
  retryable,
});

const requestRejection = (
  status: number,
  exitCode: ExitCode,
  meaning: string,
  advice: string,
): ErrorClassEntry => ({
  meaning,
  status,
  exitCode,
  advice,
  retryable: status === 429 || status >= 500,
});

/**
 * Every class of error there is: first those that a job's input or output can fail with (`error_class`),
 * then those that a request or a command can end with.
 */
export const errorClasses = {
  DownloadAccessDeniedError: jobFailure(
    'The server that holds the file refused to hand it out.',
    false,
    'Give the file read permission, or put credentials into the URL, then resubmit.',
  ),
  DownloadFailureError: jobFailure(
    'The file could not be downloaded.',
    true,
    'Check that the address is right and the server is up, then resubmit.',
  ),
  DownloadTimeoutError: jobFailure(
    'The server stopped sending, or did not answer in time.',
    true,
    'This is often passing: resubmit the job.',
  ),
  FileNotFoundError: jobFailure(
    'There is no such file at that address.',
    false,
    'Correct the address, or put the file there and resubmit.',
  ),
  InvalidUsernameOrPasswordError: jobFailure(
    'The server did not accept the user name or the password.',
    false,
    'Submit the job again with the right credentials in its URL.',
  ),
  ForbiddenAddressError: jobFailure(
    'The address leads into a private network, which this daemon does not enter.',
    false,
    'Use a public address; for one of a private network start the daemon with --allow-private-network.',
  ),
  NoMediaError: jobFailure(
    'The file holds no video and no sound that could be used.',
    false,
    'Check that it is a media file and not, for example, a web page.',
  ),
  UnsupportedInputError: jobFailure(
    'The file was recognised, but it is of a kind that is not taken as an input.',
    false,
    'Convert the file to a common format first.',
  ),
  InvalidVideoSettingsError: jobFailure(
    'The video settings do not fit this input.',
    false,
    'Change the settings named in the message and submit the job again.',
  ),
  InvalidAudioSettingsError: jobFailure(
    'The audio settings do not fit this input.',
    false,
    'Change the settings named in the message and submit the job again.',
  ),
  InvalidCodecCombinationError: jobFailure(
    'The codecs and the container do not go together.',
    false,
    'Choose another codec or another file name extension.',
  ),
  WatermarkError: jobFailure(
    'A watermark could not be fetched or read.',
    false,
    'Check the address of the watermark image and submit the job again.',
  ),
  ThumbnailError: jobFailure(
    'The thumbnails could not be made.',
    true,
    'Resubmit the job; if it fails again, ask for fewer.',
  ),
  TranscodingError: jobFailure(
    'The encoder gave up on the file.',
    false,
    'Play the input to its end to see whether it is damaged; the message holds what the encoder said.',
  ),
  TranscodingTimeoutError: jobFailure(
    'The encoder made no progress for too long.',
    true,
    'Resubmit the job.',
  ),
  UploadAccessDeniedError: jobFailure(
    'The destination refused to take the file.',
    false,
    'Give write permission at the destination, then resubmit.',
  ),
  UploadFailureError: jobFailure(
    'The file could not be delivered.',
    true,
    'Check that the destination is right and up, then resubmit.',
  ),
  UploadTimeoutError: jobFailure(
    'The destination stopped taking data.',
    true,
    'This is often passing: resubmit the job.',
  ),
  OutOfSpaceError: jobFailure(
    'There was no room left on the disk.',
    true,
    'Free some space on the machine of the daemon, then resubmit.',
  ),
  WorkerLostError: jobFailure(
    'The daemon was ended three times while it worked on this job.',
    true,
    'Look at the memory of the machine; then resubmit.',
  ),

  UnparsableBodyError: requestRejection(
    400,
    exitCodes.usage,
    'The body of the request could not be read.',
    'Send valid JSON or XML.',
  ),
  InvalidCallbackError: requestRejection(
    400,
    exitCodes.usage,
    'The name of the callback is none.',
    'Use the name of a function of yours, such as showProgress.',
  ),
  UnauthorizedError: requestRejection(
    401,
    exitCodes.unauthorized,
    'The API key is missing or unknown.',
    'Send the key in the header Service-Api-Key; the CLI takes it from VENC_API_KEY.',
  ),
  ForbiddenError: requestRejection(
    403,
    exitCodes.unauthorized,
    'The API key may not do this.',
    'Use a full access key.',
  ),
  ResubmitLimitError: requestRejection(
    403,
    exitCodes.conflict,
    'The job was resubmitted as often as is allowed.',
    'Submit it as a new job.',
  ),
  NotFoundError: requestRejection(
    404,
    exitCodes.notFound,
    'There is no such thing here.',
    'Check the id and the key: jobs of other accounts are reported as missing, too.',
  ),
  MethodNotAllowedError: requestRejection(
    405,
    exitCodes.usage,
    'The address does not take this method.',
    'See the header Allow.',
  ),
  ConflictError: requestRejection(
    409,
    exitCodes.conflict,
    'The state of the job does not allow this.',
    'Look at the state with venc show.',
  ),
  GoneError: requestRejection(
    410,
    exitCodes.notFound,
    'It was here and is gone.',
    'Encode it again: hosted files live for 24 hours.',
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
    'The body is of a type that is not understood.',
    'Send JSON or XML.',
  ),
  InvalidRequestError: requestRejection(
    422,
    exitCodes.usage,
    'The request is not valid.',
    'Correct what the messages name.',
  ),
  TooManyRequestsError: requestRejection(
    429,
    exitCodes.unreachable,
    'Too many requests.',
    'Wait as long as Retry-After says.',
  ),
  InternalError: requestRejection(
    500,
    exitCodes.unreachable,
    'Something went wrong inside the service.',
    'Look into the log of the daemon.',
  ),
  UnavailableError: requestRejection(
    503,
    exitCodes.unreachable,
    'The service takes no jobs at the moment.',
    'Try again later; /health tells why.',
  ),

  UsageError: requestRejection(400, exitCodes.usage, 'The command was not understood.', 'See --help.'),
  UnreachableError: requestRejection(
    502,
    exitCodes.unreachable,
    'The service could not be reached.',
    'Start one with "venc daemon", or name another one with VENC_URL.',
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
    'The job goes on; wait again.',
  ),
  InterruptedError: requestRejection(499, exitCodes.interrupted, 'Interrupted.', 'Nothing was lost.'),
  InUseError: requestRejection(
    409,
    exitCodes.conflict,
    'It is in use by another program.',
    'Stop that one, or choose another.',
  ),
  IllegalChangeError: requestRejection(
    409,
    exitCodes.conflict,
    'The job cannot change in this way.',
    'Look at its state.',
  ),
  ClaimLostError: requestRejection(
    409,
    exitCodes.conflict,
    'Another run holds the job.',
    'Nothing: that run goes on with it.',
  ),
} as const satisfies Record<string, ErrorClassEntry>;

/** The name of a class of error. */
export type ErrorClass = keyof typeof errorClasses;

/** Whether a text names a class of error that this version knows. */
export function isErrorClass(text: string): text is ErrorClass {
  return Object.hasOwn(errorClasses, text);
}
