/** The result of parsing one value of a request: the typed value, or its validation errors. */
export interface ParseResult<T> {
  /** Absent if the value was omitted or is not valid. */
  readonly value?: T;
  /** Full sentences without a full stop, each beginning with the path of the field. They never repeat the value. */
  readonly validationErrors: readonly string[];
  /** Paths of fields that are in no table. */
  readonly unknownFields: readonly string[];
}

/** The result of parsing a scalar: the value, or the rule that it violates (`must be ...`). */
export type ScalarResult<T> = { readonly value: T } | { readonly rule: string };

/** Converts the result for a scalar at a path. */
export function toParseResult<T>(path: string, scalar: ScalarResult<T>): ParseResult<T> {
  return 'rule' in scalar
    ? { validationErrors: [`${path} ${scalar.rule}`], unknownFields: [] }
    : { value: scalar.value, validationErrors: [], unknownFields: [] };
}

/** A result with one validation error. */
export function invalidResult(text: string): ParseResult<never> {
  return { validationErrors: [text], unknownFields: [] };
}

/** The validation errors and unknown fields of several results, in order. */
export function mergeResults(results: readonly ParseResult<unknown>[]): ParseResult<never> {
  return {
    validationErrors: results.flatMap((result) => result.validationErrors),
    unknownFields: results.flatMap((result) => result.unknownFields),
  };
}

/**
 * The path of a field: `outputs[0]` and `speed` give `outputs[0].speed`. Names with unusual characters are quoted and
 * truncated, so that a message or a log line stays on one line.
 */
export function pathTo(parent: string, name: string): string {
  const shown = /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
  return parent === '' ? shown : `${parent}.${shown}`;
}
