import { VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import type { Io } from './io.js';

/**
 * Reports the error of one of several subjects (`Job 12`, `film.mov`) and returns the exit code of the command: that of the first error.
 */
export function reportError(
  io: Pick<Io, 'writeStderr'>,
  error: VencError,
  subject: string,
  code: ExitCode,
): ExitCode {
  io.writeStderr(formatError(withSubject(error, subject), false));
  return code === exitCodes.done ? exitCodeOf(error) : code;
}

/** Whether an error would meet every other job as well: the service cannot be reached, or refuses the key. */
export function affectsAllJobs(error: VencError): boolean {
  return ['UnreachableError', 'UnauthorizedError', 'ForbiddenError'].includes(error.errorClass);
}

/** The error with the subject in front of each complaint that does not name it. */
function withSubject(error: VencError, subject: string): VencError {
  const name = subject.replace(/^Job /, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const named = new RegExp(`(?<!\\w)${name}(?!\\w)`);
  const messages = error.messages.map((one) => (named.test(one) ? one : `${subject}: ${one}`));
  const hint = error.hint === null ? {} : { hint: error.hint };
  return new VencError(error.errorClass, messages.join('; '), { cause: error, messages, ...hint });
}

/** Remarks where a broken file of the user's was set aside to, when there was one. */
export function warnQuarantined(io: Io, quarantinedPath: string | null): void {
  if (quarantinedPath === null) return;
  io.writeStderr(
    `venc: the file so far could not be read: it was set aside as ${safeText(quarantinedPath)}\n`,
  );
}
