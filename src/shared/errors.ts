import { type ErrorClass, type ErrorClassEntry, errorClasses } from './error-classes.js';

/** What an error may carry beside its message. */
export interface VencErrorOptions {
  readonly cause?: unknown;
  /** Every complaint, one full sentence each, where there is more than the message. */
  readonly messages?: readonly string[];
  /** What to do, where that is more particular than the advice of the class. */
  readonly hint?: string;
  /** Seconds after which trying again makes sense (`Retry-After`). */
  readonly retryAfterSeconds?: number;
}

const brand = Symbol.for('venc.VencError');

/**
 * The one error of this project. Its class says what kind of trouble it is; `errorClasses` says what follows
 * from that: HTTP status, exit code, advice. The message is one plain sentence and holds no secret.
 */
export class VencError extends Error {
  /** The bundle has this class twice, once for what every command reads and once for what is loaded lazily: either knows the other's. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }

  override readonly name = 'VencError';
  readonly messages: readonly string[];
  readonly hint: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    readonly errorClass: ErrorClass,
    message: string,
    options: VencErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.messages = options.messages ?? [message];
    this.hint = options.hint ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }

  get [brand](): true {
    return true;
  }

  /** The row of the error table for this error's class. */
  get entry(): ErrorClassEntry {
    return errorClasses[this.errorClass];
  }
}

/** A request refused with every complaint at once (422, contract of `{"errors": [...]}`). */
export function invalidRequest(messages: readonly string[]): VencError {
  return new VencError('InvalidRequestError', messages.join('; '), { messages });
}

/** Whether an error is one of ours, of the given class if one is given. */
export function isVencError(error: unknown, errorClass?: ErrorClass): error is VencError {
  return error instanceof VencError && (errorClass === undefined || error.errorClass === errorClass);
}

/**
 * One error with the validation errors of several, each once and with its hint behind it. The class is that of the first. A single
 * error stays as it is.
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

/** The results of all steps. Throws one error for all steps that failed; one that is no `VencError` is thrown at once. */
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

function withHint({ messages, hint }: VencError): readonly string[] {
  if (hint === null) return messages;
  return messages.map((text, index) =>
    index < messages.length - 1 ? text : `${text.replace(/\.$/, '')}; ${hint.replace(/\.$/, '')}`,
  );
}
