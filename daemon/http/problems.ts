import { isVencError, VencError } from '../../src/api/errors.js';
import type { ErrorsRecord } from '../../src/api/records.js';
import { redact } from '../../src/api/redact.js';
import type { Reply } from './exchange.js';

/** The answer to a request that ended with an error: status, headers and every complaint, without any secret. */
export function problemReply(error: unknown): Reply {
  const known = isVencError(error)
    ? error
    : new VencError('InternalError', 'Something went wrong inside the daemon; its log tells more.', {
        cause: error,
      });
  const record: ErrorsRecord = { errors: known.complaints.map(redact) };
  return {
    status: known.entry.status,
    record,
    ...(known.retryAfterSeconds === null
      ? {}
      : { headers: { 'Retry-After': String(known.retryAfterSeconds) } }),
  };
}
