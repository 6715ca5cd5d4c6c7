import type { ErrorClass } from '../../../src/api/error-classes.js';
import { isVencError, VencError } from '../../../src/api/errors.js';
import { errorCode } from '../disk-faults.js';

/** Why one attempt came to nothing, and whether another one makes sense. */
export interface Trouble {
  /** `final`: no; `connect`: no connection came about; `passing`: it was refused for now, stalled, or broke off. */
  readonly kind: 'final' | 'connect' | 'passing';
  readonly error: VencError;
  /** How long the server asked to wait; null where it did not. */
  readonly retryAfterMs: number | null;
}

type Row = readonly [kind: Trouble['kind'], errorClass: ErrorClass, predicate: string];

const byCode: Readonly<Record<string, Row>> = {
  ENOTFOUND: ['final', 'DownloadFailureError', 'is not the name of any host'],
  EAI_AGAIN: ['connect', 'DownloadFailureError', 'could not be looked up: the name servers do not answer'],
  ECONNREFUSED: ['connect', 'DownloadFailureError', 'refused the connection'],
  EHOSTUNREACH: ['connect', 'DownloadFailureError', 'cannot be reached from here'],
  ENETUNREACH: ['connect', 'DownloadFailureError', 'cannot be reached from here'],
  ETIMEDOUT: ['connect', 'DownloadTimeoutError', 'did not answer in time'],
};

const badCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS/;
const badTls = /^ERR_SSL|^EPROTO$/;

/** A trouble that no further attempt can mend. */
export function finalTrouble(errorClass: ErrorClass, message: string): Trouble {
  return { kind: 'final', error: new VencError(errorClass, message), retryAfterMs: null };
}

/** A trouble that may be over by the next attempt. */
export function passingTrouble(
  errorClass: ErrorClass,
  message: string,
  retryAfterMs: number | null = null,
): Trouble {
  return { kind: 'passing', error: new VencError(errorClass, message), retryAfterMs };
}

/** What an error of a connection to a host means. `host` is a host with its port, without credentials. */
export function connectionTrouble(error: unknown, host: string): Trouble {
  if (isVencError(error)) return { kind: 'final', error, retryAfterMs: null };
  const [kind, errorClass, predicate] = rowOf(errorCode(error) ?? '');
  return {
    kind,
    error: new VencError(errorClass, `${host} ${predicate}.`, { cause: error }),
    retryAfterMs: null,
  };
}

function rowOf(code: string): Row {
  const row = byCode[code];
  if (row !== undefined) return row;
  if (badCertificate.test(code))
    return ['final', 'DownloadFailureError', `has a certificate that is not trusted (${code})`];
  if (badTls.test(code))
    return ['final', 'DownloadFailureError', `does not speak TLS as it should (${code})`];
  return ['passing', 'DownloadFailureError', 'broke off the connection'];
}
