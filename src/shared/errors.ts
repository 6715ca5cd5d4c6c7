import { type ErrorClass, type ErrorClassEntry, errorClasses } from './error-classes.js';

/** Optional properties of an error. */
interface VencErrorOptions {
  readonly cause?: unknown;
  /** All error messages, one full sentence each; only the main message by default. */
  readonly messages?: readonly string[];
  /** What to do, if it is more specific than the advice of the class. */
  readonly hint?: string;
  /** Seconds to wait before a retry (`Retry-After`). */
  readonly retryAfterSeconds?: number;
  /** The option of the library that the message is about. */
  readonly field?: string;
}

const brand = Symbol.for('venc.VencError');

/**
 * The error class of this project. `errorClass` is the kind of error; `errorClasses` maps it to HTTP status, exit
 * code and advice. The message is one plain sentence and contains no secret.
 */
export class VencError extends Error {
  /**
   * The bundle contains this class twice, in the code of every command and in the lazily loaded code: an instance of
   * either counts as an instance of both.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }

  override readonly name = 'VencError';
  readonly messages: readonly string[];
  readonly hint: string | null;
  readonly retryAfterSeconds: number | null;
  readonly field: string | undefined;

  constructor(
    readonly errorClass: ErrorClass,
    message: string,
    options: VencErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.messages = options.messages ?? [message];
    this.hint = options.hint ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.field = options.field;
  }

  get [brand](): true {
    return true;
  }

  /** The class and the message, as logs show them. */
  override toString(): string {
    return `${this.errorClass}: ${this.message}`;
  }

  /** The row of the error table for this error's class. */
  get entry(): ErrorClassEntry {
    return errorClasses[this.errorClass];
  }
}

/**
 * An error for a request that is rejected: a 422 response whose body lists all validation errors, `{"errors": [...]}`.
 */
export function invalidRequest(messages: readonly string[]): VencError {
  return new VencError('InvalidRequestError', messages.join('; '), { messages });
}

/** Whether an error is a `VencError`, of the given class if one is given. */
export function isVencError(error: unknown, errorClass?: ErrorClass): error is VencError {
  return error instanceof VencError && (errorClass === undefined || error.errorClass === errorClass);
}

/**
 * Joins errors into one with all their messages, without duplicates; the hint of each error is appended to its last
 * message. The class is that of the first error. A single error is returned unchanged.
 */
export function joinErrors(first: VencError, others: readonly VencError[]): VencError {
  if (others.length === 0) return first;
  const messages = [first, ...others].flatMap(withHint);
  const uniqueMessages = [...new Set(messages)];
  return new VencError(first.errorClass, uniqueMessages.join('; '), {
    cause: first,
    messages: uniqueMessages,
  });
}

/**
 * Runs all steps and returns their results. Throws one error for all steps that failed with a `VencError`; any other
 * error is thrown immediately.
 */
export function collect<T>(steps: readonly (() => T)[]): readonly T[] {
  const errors: VencError[] = [];
  const results: T[] = [];
  for (const step of steps) {
    try {
      results.push(step());
    } catch (error) {
      if (!isVencError(error)) throw error;
      errors.push(error);
    }
  }
  const [first, ...others] = errors;
  if (first !== undefined) throw joinErrors(first, others);
  return results;
}

/** A hint as it is printed and joined to a sentence: in lower case and without full stop, like all hints. */
export function toHintForm(hint: string): string {
  return hint.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}

function withHint({ messages, hint }: VencError): readonly string[] {
  if (hint === null) return messages;
  return messages.map((text, index) =>
    index < messages.length - 1 ? text : `${text.replace(/\.$/, '')}; ${toHintForm(hint)}`,
  );
}
