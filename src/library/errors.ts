import type * as declared from './declarations.js';

/** What an error of the library has besides its message. */
interface ErrorDetails {
  readonly code: string;
  readonly field?: string | null | undefined;
  readonly hint?: string | null | undefined;
  readonly cause?: unknown;
}

/** The error of every function of the library. */
export class VencError extends Error implements declared.VencError {
  override readonly name: string;
  readonly code: string;
  readonly field: string | null;
  readonly hint: string | null;

  constructor(message: string, { code, field, hint, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.field = field ?? null;
    this.hint = hint ?? null;
  }
}

/** An option is wrong. */
export class InvalidRequestError extends VencError {}

/** The input could not be read. */
export class InputError extends VencError {}

/** The encoding failed. */
export class EncodeError extends VencError {}

/** An output could not be written. */
export class OutputError extends VencError {}

/** There is no ffmpeg, or something else that is needed is missing on this machine. */
export class UnavailableError extends VencError {}

/** The codes of errors that no failed job has. All others are the class of the failure. */
const codes: Readonly<Record<string, string>> = {
  InvalidRequestError: 'invalid_request',
  UsageError: 'invalid_request',
  UnparsableBodyError: 'invalid_request',
  UnavailableError: 'unavailable',
  ConflictError: 'conflict',
  InUseError: 'in_use',
  InternalError: 'internal',
};

/** Hints for programs, in place of those for the command line. */
const hints: Readonly<Record<string, string>> = {
  ForbiddenAddressError: 'set allowPrivateNetwork: true if the address is one of yours',
  UnavailableError: 'install ffmpeg, or name it: configure({ ffmpeg, ffprobe })',
};

/** An error of the pipeline: that of `src/shared`, which another bundle has created. */
interface PipelineError extends Error {
  readonly errorClass: string;
  readonly hint: string | null;
  readonly field?: string;
}

function isPipelineError(error: unknown): error is PipelineError {
  return error instanceof Error && 'errorClass' in error && 'hint' in error;
}

/** The error that the library reports for one of its pipeline. Other errors are defects, and have the code `internal`. */
export function toPublicError(error: unknown): VencError {
  if (error instanceof VencError) return error;
  if (!isPipelineError(error)) {
    const text = error instanceof Error ? error.message : String(error);
    return new VencError(`An unexpected error: ${text}`, { code: 'internal', cause: error });
  }
  const { errorClass, field, message, cause } = error;
  const isMetadata = /metadata service/.test(message);
  const hint = error.hint ?? (isMetadata ? null : hints[errorClass]);
  const Kind = kindOf(errorClass, field);
  return new Kind(message, { code: codes[errorClass] ?? errorClass, field, hint, cause });
}

function kindOf(errorClass: string, field = ''): typeof VencError {
  if (codes[errorClass] === 'invalid_request') return InvalidRequestError;
  if (errorClass === 'UnavailableError') return UnavailableError;
  if (errorClass === 'InternalError') return VencError;
  if (/^(?:input|reference)$/.test(field)) return InputError;
  if (/^(?:Upload|OutOfSpace|Conflict|InUse)/.test(errorClass)) return OutputError;
  if (/^(?:ForbiddenAddress|FileNotFound|InvalidUsername)/.test(errorClass) && /output$/.test(field))
    return OutputError;
  return EncodeError;
}
