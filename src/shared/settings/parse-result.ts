/** What became of one value of a request: the typed value, or what is wrong with it. */
export interface ParseResult<T> {
  /** Absent where the value was left out or is not valid. */
  readonly value?: T;
  /** Full sentences without a full stop, each beginning with the path of the field. They never repeat the value. */
  readonly validationErrors: readonly string[];
  /** Paths of fields that no table knows. */
  readonly unknownFields: readonly string[];
}

/** One plain value: as it is meant, or the rule that it breaks (`must be ...`). */
export type ScalarResult<T> = { readonly value: T } | { readonly rule: string };

/** The reading of a plain value at a path. */
export function toParseResult<T>(path: string, scalar: ScalarResult<T>): ParseResult<T> {
  return 'rule' in scalar
    ? { validationErrors: [`${path} ${scalar.rule}`], unknownFields: [] }
    : { value: scalar.value, validationErrors: [], unknownFields: [] };
}

/** A reading that is one complaint. */
export function invalidResult(text: string): ParseResult<never> {
  return { validationErrors: [text], unknownFields: [] };
}

/** Complaints and unknown fields of several readings, in their order. */
export function mergeResults(results: readonly ParseResult<unknown>[]): ParseResult<never> {
  return {
    validationErrors: results.flatMap((result) => result.validationErrors),
    unknownFields: results.flatMap((result) => result.unknownFields),
  };
}

/**
 * The path of a field: `outputs[0]` and `speed` make `outputs[0].speed`. Names that a client made up are
 * quoted and cut, so that a message or a log line stays one line.
 */
export function pathTo(parent: string, name: string): string {
  const shown = /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
  return parent === '' ? shown : `${parent}.${shown}`;
}
