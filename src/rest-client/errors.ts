import { parseErrorBody } from '../shared/client/parse-error-body.js';
import type * as declared from './declarations.js';

/** What an error has besides its message. */
interface ErrorDetails {
  readonly code: string;
  readonly field?: string | null;
  readonly hint?: string | null;
  readonly cause?: unknown;
  readonly status?: number;
  readonly messages?: readonly string[];
  readonly retryAfterSeconds?: number | null;
}

/** The error of every call. Its message never contains the key. */
export class VencError extends Error implements declared.VencError {
  // The names of the classes themselves are shortened.
  static override readonly name: string = 'VencError';
  override readonly name: string;
  readonly code: string;
  readonly field: string | null;
  readonly hint: string | null;
  readonly status: number | null;
  readonly messages: readonly string[];
  /** Seconds to wait before a retry (`Retry-After`). */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.field = details.field ?? null;
    this.hint = details.hint ?? null;
    this.status = details.status ?? null;
    this.messages = details.messages ?? [message];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** The request is not valid, or an option of the call is wrong. */
export class InvalidRequestError extends VencError {
  static override readonly name = 'InvalidRequestError';
}

/** The key is missing, unknown or expired, or does not allow this. */
export class UnauthorizedError extends VencError {
  static override readonly name = 'UnauthorizedError';
}

/** There is no such job, file or route. */
export class NotFoundError extends VencError {
  static override readonly name = 'NotFoundError';
}

/** The state of the job does not allow this. */
export class ConflictError extends VencError {
  static override readonly name = 'ConflictError';
}

/** Too many requests, or a limit of the account. */
export class TooManyRequestsError extends VencError {
  static override readonly name = 'TooManyRequestsError';
}

/** The service accepts nothing at the moment. */
export class UnavailableError extends VencError {
  static override readonly name = 'UnavailableError';
}

/** The service failed. */
export class ServiceError extends VencError {
  static override readonly name = 'ServiceError';
}

/** There was no answer, or none of an encoding service. */
export class ConnectionError extends VencError {
  static override readonly name = 'ConnectionError';
}

/** It took too long. */
export class TimeoutError extends VencError {
  static override readonly name = 'TimeoutError';
}

/** A notification is not signed with the secret, or is too old. */
export class SignatureError extends VencError {
  static override readonly name = 'SignatureError';
}

/** The class and the code of each status; others are by hundreds. */
const kinds: Readonly<Record<number, readonly [Kind: typeof VencError, code: string]>> = {
  401: [UnauthorizedError, 'unauthorized'],
  403: [UnauthorizedError, 'forbidden'],
  404: [NotFoundError, 'not_found'],
  405: [NotFoundError, 'not_supported'],
  409: [ConflictError, 'conflict'],
  410: [NotFoundError, 'gone'],
  429: [TooManyRequestsError, 'too_many_requests'],
  503: [UnavailableError, 'unavailable'],
  3: [ConnectionError, 'invalid_answer'],
  4: [InvalidRequestError, 'invalid_request'],
  5: [ServiceError, 'internal'],
};

/** What to do if the answer is not one of an encoding service. */
export const addressHint = 'check the address of the service, which ends before /v2';

const hints: Readonly<Record<string, string>> = {
  unauthorized: 'check the key',
  forbidden: 'use a full access key',
  not_found: 'check the id and the key: jobs of other accounts are not found either',
  too_many_requests: 'try again in a while',
  invalid_answer: addressHint,
};

/** An answer with an error. */
interface FailedAnswer {
  /** What was requested, such as `GET /v2/jobs/7`. */
  readonly subject: string;
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number | null;
  /** Removes the key from a text. */
  readonly mask: (text: string) => string;
}

/** The error of an answer. Without a readable message, as in the page of a proxy, the status gives the message. */
export function toServiceError({ subject, status, text, retryAfterSeconds, mask }: FailedAnswer): VencError {
  const [Kind, code] = kinds[status] ??
    kinds[Math.floor(status / 100)] ?? [ConnectionError, 'invalid_answer'];
  const sent = status < 400 ? [] : parseErrorBody(text).map(mask);
  const redirect = status < 400 ? 'a redirect, which is not followed' : status;
  const messages = sent.length > 0 ? sent : [`The service answered ${redirect} for ${subject}.`];
  const [first = ''] = messages;
  return new Kind(messages.join('; '), {
    code: code === 'too_many_requests' && /has reached its limit/.test(first) ? 'quota' : code,
    field: Kind === InvalidRequestError ? fieldOf(first) : null,
    hint: retryAfterSeconds ? `try again after ${retryAfterSeconds} s` : (hints[code] ?? null),
    ...{ status, messages, retryAfterSeconds },
  });
}

/** The field at the beginning of a message: `outputs[1].speed must be a whole number`. */
function fieldOf(message: string): string | null {
  return (
    /^[a-z]\w*(?:\[\d+\]|\.\w+)*(?= (?:must|is|are|has|can|cannot|needs?|does)\b)/.exec(message)?.[0] ?? null
  );
}

/** An option of a call that is wrong. */
export function invalidOption(
  field: string,
  message: string,
  hint: string | null = null,
): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'invalid_request', field, hint });
}
