import { VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import type { Io } from './io.js';

/**
 * Reports the error of one of several subjects (`Job 12`, `film.mov`). Returns the exit code of the command, which is
 * that of the first error.
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

/** Whether an error affects all other jobs too: the service is unreachable or rejects the key. */
export function affectsAllJobs(error: VencError): boolean {
  return ['UnreachableError', 'UnauthorizedError', 'ForbiddenError'].includes(error.errorClass);
}

/** Prefixes each message that does not name the subject with it. */
function withSubject(error: VencError, subject: string): VencError {
  const name = subject.replace(/^Job /, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const named = new RegExp(`(?<!\\w)${name}(?!\\w)`);
  const messages = error.messages.map((one) => (named.test(one) ? one : `${subject}: ${one}`));
  const hint = error.hint === null ? {} : { hint: error.hint };
  return new VencError(error.errorClass, messages.join('; '), { cause: error, messages, ...hint });
}

/** Warns that a broken file of the user was quarantined, and names its new path. */
export function warnQuarantined(io: Io, quarantinedPath: string | null): void {
  if (quarantinedPath === null) return;
  io.writeStderr(
    `venc: warning: the previous file could not be read and was moved to ${safeText(quarantinedPath)}\n`,
  );
}
