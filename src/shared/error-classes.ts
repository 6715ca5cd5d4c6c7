import { type ExitCode, exitCodes } from './exit-codes.js';

/** The meaning of an error class, and its consequences everywhere. */
export interface ErrorClassEntry {
  /** One sentence for the reader of a failed job or request. */
  readonly meaning: string;
  /** The HTTP status of the response if a request fails with it. */
  readonly status: number;
  /** The exit code of a command that fails with it. */
  readonly exitCode: ExitCode;
  /** What the user can do, including whether to retry. */
  readonly advice: string;
  /** Whether the same job, unchanged, may succeed if it is resubmitted. */
  readonly retryable: boolean;
}

/** An error of a failed input or output. */
const jobFailure = (meaning: string, retryable: boolean, advice: string): ErrorClassEntry => ({
  meaning,
  status: 422,
  exitCode: exitCodes.jobFailed,
  advice,
  retryable,
});

/** An error of a failed request or command. */
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

/** The same for an error that a retry after seconds does not help. */
const lastingRejection = (...entry: Parameters<typeof requestRejection>): ErrorClassEntry => ({
  ...requestRejection(...entry),
  retryable: false,
});

/** The error classes of a failed input or output (`error_class`). */
export const jobErrorClasses = {
  ChecksumMismatchError: jobFailure(
    'The downloaded file does not have the expected MD5.',
    true,
    'Check expected_md5_checksum; if it is right, the file was damaged in the transfer: resubmit the job.',
  ),
  DownloadAccessDeniedError: jobFailure(
    'The server of the file denied access to it.',
    false,
    'Give the file read permission, or put credentials into the URL, then resubmit.',
  ),
  DownloadFailureError: jobFailure(
    'The file could not be downloaded.',
    true,
    'Check that the URL is right and the server is up, then resubmit.',
  ),
  DownloadTimeoutError: jobFailure(
    'The server stopped sending, or did not respond in time.',
    true,
    'This is often temporary: resubmit the job.',
  ),
  FileNotFoundError: jobFailure(
    'There is no file at that URL.',
    false,
    'Correct the URL, or put the file there and resubmit.',
  ),
  InvalidUsernameOrPasswordError: jobFailure(
    'The server did not accept the user name or the password.',
    false,
    'Submit the job again with the right credentials in its URL.',
  ),
  ForbiddenAddressError: jobFailure(
    'The address is in a private network, which this daemon does not access.',
    false,
    'Use a public address, or start the daemon with --allow-private-network.',
  ),
  NoMediaError: jobFailure(
    'The file contains no usable video or audio.',
    false,
    'Check that it is a media file and not, for example, a web page.',
  ),
  UnsupportedInputError: jobFailure(
    'The format of the file was recognised, but is not supported as an input.',
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
    'The container does not support these codecs.',
    false,
    'Choose another codec or another file name extension.',
  ),
  WatermarkError: jobFailure(
    'A watermark could not be fetched or read.',
    false,
    'Check the URL of the watermark image and submit the job again.',
  ),
  CaptionError: jobFailure('There are no valid captions.', false, 'Correct the file that the message names.'),
  InvalidEncryptionSettingsError: jobFailure('A key is not valid.', true, 'Check encryption_key_url.'),
  QualityError: jobFailure(
    'The quality of the video could not be measured.',
    false,
    'Omit measure_quality, or correct what the message names.',
  ),
  SegmentingError: jobFailure(
    'The output could not be cut into segments.',
    true,
    'Resubmit the job; if it fails again, request longer segments.',
  ),
  SkippedSourceError: jobFailure('A source was skipped.', false, 'Set allow_skipped_sources or change skip.'),
  SourceFailedError: jobFailure(
    'The output that this one is made from failed.',
    true,
    'Correct what made that output fail, and resubmit the job.',
  ),
  ThumbnailError: jobFailure(
    'The thumbnails could not be created.',
    true,
    'Resubmit the job; if it fails again, request fewer thumbnails.',
  ),
  TranscodingError: jobFailure(
    'The encoder failed on the file.',
    false,
    'Play the input to its end to see whether it is damaged.',
  ),
  TranscodingTimeoutError: jobFailure(
    'The encoder made no progress for too long.',
    true,
    'Resubmit the job.',
  ),
  MemoryLimitError: jobFailure(
    'The encoding needs more memory than the service allows.',
    false,
    'Request a smaller size or fewer outputs, or start the daemon with a larger --max-encode-memory.',
  ),
  CpuTimeLimitError: jobFailure(
    'The encoding used more processor time than the service allows for media of its length and size.',
    false,
    'Request a faster speed, or start the daemon with a larger --encode-cpu-factor.',
  ),
  EncodeTimeLimitError: jobFailure(
    'The encoding took longer than the service allows.',
    false,
    'Request a faster speed or a clip, or start the daemon with a larger --max-encode-time.',
  ),
  OutputSizeLimitError: jobFailure(
    'The output is larger than the service allows.',
    false,
    'Request a lower quality or a clip, or start the daemon with a larger --max-output-size.',
  ),
  InputDurationLimitError: jobFailure(
    'The input is longer than the service allows.',
    false,
    'Cut the input, or start the daemon with a larger --max-input-duration.',
  ),
  UploadAccessDeniedError: jobFailure(
    'The destination denied write access.',
    false,
    'Grant write permission at the destination, then resubmit.',
  ),
  UploadFailureError: jobFailure(
    'The file could not be delivered.',
    true,
    'Check that the destination is right and up, then resubmit.',
  ),
  UploadTimeoutError: jobFailure(
    'The destination stopped accepting data.',
    true,
    'This is often temporary: resubmit the job.',
  ),
  OutOfSpaceError: jobFailure(
    'There was no space left on the disk.',
    true,
    'Free space on the machine of the daemon, then resubmit.',
  ),
  WorkerLostError: jobFailure(
    'The daemon was terminated three times while it processed this job.',
    true,
    'Check that the machine has enough memory, then resubmit.',
  ),
} as const satisfies Record<string, ErrorClassEntry>;

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
    'The API key is missing or unknown, or it has expired.',
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
  QuotaError: lastingRejection(
    429,
    exitCodes.conflict,
    'The account has reached one of its limits.',
    'Wait for its jobs, or remove some; the operator of the daemon changes the limits with venc accounts quota.',
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
