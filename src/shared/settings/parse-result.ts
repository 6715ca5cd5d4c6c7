import type { RequestWarning } from './request-warning.js';

/** The result of parsing one value of a request: the typed value, or its validation errors. */
export interface ParseResult<T> {
  /** Absent if the value was omitted or is not valid. */
  readonly value?: T;
  /**
   * The valid parts of an invalid object or list, for rules between settings; an entry of a list without any is an
   * empty object.
   */
  readonly partial?: unknown;
  /** Full sentences without a full stop, each beginning with the path of the field. They never repeat the value. */
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** The result of parsing a scalar: the value, or the rule that it violates (`must be ...`). */
export type ScalarResult<T> = { readonly value: T } | { readonly rule: string };

/** Converts the result for a scalar at a path. */
export function toParseResult<T>(path: string, scalar: ScalarResult<T>): ParseResult<T> {
  return 'rule' in scalar
    ? { validationErrors: [`${path} ${scalar.rule}`], warnings: [] }
    : { value: scalar.value, validationErrors: [], warnings: [] };
}

/** A result with one validation error. */
export function invalidResult(text: string): ParseResult<never> {
  return { validationErrors: [text], warnings: [] };
}

/** A value that counts as omitted, with a warning. */
export function ignoredResult(warning: RequestWarning): ParseResult<never> {
  return { validationErrors: [], warnings: [warning] };
}

/** The validation errors and warnings of several results, in order. */
export function mergeResults(results: readonly ParseResult<unknown>[]): ParseResult<never> {
  return {
    validationErrors: results.flatMap((result) => result.validationErrors),
    warnings: results.flatMap((result) => result.warnings),
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
