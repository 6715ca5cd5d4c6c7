import { toHintForm, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { redact } from '../../shared/redact.js';
import { adviceFor } from '../../shared/text/advice.js';
import { safeText } from '../../shared/text/safe-text.js';

/**
 * The message of an error for stderr: `venc: what went wrong`, one line for each error, and `venc: hint: what to do`.
 * With `isDebugging` also the stacks of the error and its causes.
 */
export function formatError(error: unknown, isDebugging: boolean): string {
  const reported = error instanceof VencError ? error.messages : [messageOf(error)];
  const hint = error instanceof VencError ? hintOf(error) : null;
  const lines = [
    ...reported.map((messageLine) => `venc: ${safeText(redact(messageLine))}`),
    ...(hint === null ? [] : [`venc: hint: ${safeText(redact(toHintForm(hint)))}`]),
    ...(isDebugging ? stackOf(error) : []),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The exit code of a command that ended with an error. Errors other than `VencError` are bugs and count as failures.
 */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof VencError ? error.entry.exitCode : exitCodes.jobFailed;
}

/** The hint of the error; if it has none, the advice for it, unless that repeats the message. */
function hintOf(error: VencError): string | null {
  if (error.hint !== null) return error.hint;
  if (error.errorClass === 'UsageError' || error.errorClass === 'InvalidRequestError') return null;
  if (error.errorClass === 'InterruptedError') return null;
  return adviceFor(error.errorClass, error.message);
}

function messageOf(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return 'The current folder does not exist any more.';
  }
  return error instanceof Error ? error.message : String(error);
}

function stackOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const stack = (error.stack ?? error.message).split('\n').map((line) => safeText(redact(line)));
  return [...stack, ...stackOf(error.cause)];
}
