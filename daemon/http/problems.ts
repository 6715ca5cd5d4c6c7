import type { ErrorClass } from '../../src/api/error-classes.js';
import { isVencError, VencError } from '../../src/api/errors.js';
import type { ErrorsRecord } from '../../src/api/records.js';
import { redact } from '../../src/api/redact.js';
import type { Reply } from './exchange.js';

/** Faults of jobs that a request can end with as well, when a body is taken in or a job is kept: what they are to a client. */
const statusOfFault: Readonly<Partial<Record<ErrorClass, number>>> = {
  OutOfSpaceError: 503,
  DownloadTimeoutError: 408,
  DownloadFailureError: 400,
};
/** Seconds after which trying again makes sense where nothing better is known. */
const retryAfterSeconds = 30;

/** The answer to a request that ended with an error: status, headers and every complaint, without any secret. */
export function problemReply(error: unknown): Reply {
  const known = isVencError(error)
    ? error
    : new VencError('InternalError', 'Something went wrong inside the daemon; its log tells more.', {
        cause: error,
      });
  const record: ErrorsRecord = { errors: known.complaints.map(redact) };
  const status = statusOfFault[known.errorClass] ?? known.entry.status;
  const wait = known.retryAfterSeconds ?? (status === 503 ? retryAfterSeconds : null);
  return { status, record, ...(wait === null ? {} : { headers: { 'Retry-After': String(wait) } }) };
}
