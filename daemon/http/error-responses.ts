import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { redact } from '../../src/shared/redact.js';
import { diskReason } from '../../src/shared/util/disk-error-text.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import type { Reply } from './request-context.js';

/** Faults of jobs that a request can end with as well, when a body is taken in or a job is kept: what they are to a client. */
const statusOfFailure: Readonly<Partial<Record<ErrorClass, number>>> = {
  OutOfSpaceError: 503,
  DownloadTimeoutError: 408,
  DownloadFailureError: 400,
};
/** Seconds after which trying again makes sense where nothing better is known. */
const retryAfterSeconds = 30;

/** The answer to a request that ended with an error: status, headers and every complaint, without any secret. */
export function errorReply(error: unknown): Reply {
  const known = isVencError(error) ? error : (diskError(error) ?? internalError(error));
  const record: ErrorsRecord = { errors: known.messages.map(redact) };
  const status = statusOfFailure[known.errorClass] ?? known.entry.status;
  const retryAfter = known.retryAfterSeconds ?? (status === 503 ? retryAfterSeconds : null);
  return {
    status,
    record,
    ...(retryAfter === null ? {} : { headers: { 'Retry-After': String(retryAfter) } }),
  };
}

/** What the system says of a disk that the operator has to see to. */
const diskCodes: ReadonlySet<string | null> = new Set([
  'EROFS',
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EPERM',
]);

/** A disk that does not take what was to be kept: the request is right, and may succeed later. */
function diskError(error: unknown): VencError | null {
  if (!diskCodes.has(systemCode(error))) return null;
  const reason = diskReason(error, 'write', 'the daemon has');
  return new VencError('UnavailableError', `The data folder cannot be written: ${reason}.`, { cause: error });
}

function internalError(error: unknown): VencError {
  return new VencError('InternalError', 'Something went wrong inside the daemon; its log tells more.', {
    cause: error,
  });
}
