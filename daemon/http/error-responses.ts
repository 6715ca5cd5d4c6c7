import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { redact } from '../../src/shared/redact.js';
import { diskReason, systemCode } from '../../src/shared/util/system-code.js';
import type { Reply } from './request-context.js';

/**
 * The status of job failures that a request can also end with, while an upload is received or a job is
 * stored.
 */
const statusOfFailure: Readonly<Partial<Record<ErrorClass, number>>> = {
  OutOfSpaceError: 503,
  DownloadTimeoutError: 408,
  DownloadFailureError: 400,
};
/** Default of `Retry-After` in seconds. */
const retryAfterSeconds = 30;

/**
 * The answer to a request that ended with an error: status, headers and every validation error, without
 * secrets. `hasClass` adds the class of the error, with which a file of a worker can fail.
 */
export function errorReply(error: unknown, { hasClass = false } = {}): Reply {
  const known = isVencError(error) ? error : (diskError(error) ?? internalError(error));
  const errors = known.messages.map(redact);
  const record: ErrorsRecord = hasClass ? { errors, errorClass: known.errorClass } : { errors };
  const status = statusOfFailure[known.errorClass] ?? known.entry.status;
  const retryAfter = known.retryAfterSeconds ?? (status === 503 ? retryAfterSeconds : null);
  return {
    status,
    record,
    ...(retryAfter === null ? {} : { headers: { 'Retry-After': String(retryAfter) } }),
  };
}

/** System errors of a disk that the operator has to fix. */
const diskCodes: ReadonlySet<string | null> = new Set([
  'EROFS',
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EPERM',
]);

/** The error for a disk that cannot be written: the request is valid and may succeed later. */
function diskError(error: unknown): VencError | null {
  if (!diskCodes.has(systemCode(error))) return null;
  const reason = diskReason(error, 'write', 'the daemon has');
  return new VencError('UnavailableError', `The data folder cannot be written: ${reason}.`, { cause: error });
}

function internalError(error: unknown): VencError {
  return new VencError('InternalError', 'Internal error; the log of the daemon has the details.', {
    cause: error,
  });
}
