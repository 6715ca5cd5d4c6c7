import { isVencError, VencError } from './errors.js';

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
