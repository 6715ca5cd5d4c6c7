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
export const jobFailure = (meaning: string, retryable: boolean, advice: string): ErrorClassEntry => ({
  meaning,
  status: 422,
  exitCode: exitCodes.jobFailed,
  advice,
  retryable,
});

/** An error of a failed request or command. */
export const requestRejection = (
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
