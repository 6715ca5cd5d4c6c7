import { isVencError, VencError } from './errors.js';

/**
 * One error with the validation errors of several, each once and with its hint behind it. The class is that of the first. A single
 * error stays as it is.
 */
export function joinErrors(first: VencError, others: readonly VencError[]): VencError {
  if (others.length === 0) return first;
  const complaints = [first, ...others].flatMap(withHint);
  const once = [...new Set(complaints)];
  return new VencError(first.errorClass, once.join('; '), { cause: first, complaints: once });
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

function withHint({ complaints, hint }: VencError): readonly string[] {
  if (hint === null) return complaints;
  return complaints.map((text, index) =>
    index < complaints.length - 1 ? text : `${text.replace(/\.$/, '')}; ${hint.replace(/\.$/, '')}`,
  );
}
