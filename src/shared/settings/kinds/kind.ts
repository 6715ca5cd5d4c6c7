import type { RequestWarning, Setting } from '../setting.js';

/**
 * Everything that depends on the kind of a setting. Each method takes the row of the setting in its table. `groups.ts`
 * has the table of all kinds.
 */
export interface SettingKind<S extends Setting, Value = unknown> {
  /** Whether a flag may be given several times. */
  readonly isRepeatable?: true;
  /** Whether a value may contain a password, so that messages do not show it. */
  readonly mayHoldSecret?: true;
  /** Validates the value in a request. */
  parse(setting: S, value: unknown, path: string): ParseResult<Value>;
  /** Describes the kind, range and spelling of the value in the reference. Names and values are in backquotes. */
  describe(setting: S): string;
  /** A valid value, for examples; undefined for a setting that is not applied. */
  example(setting: S): unknown;
  /**
   * The schema of the value as it may be sent: numbers and booleans also as text (contract, section 3). The daemon
   * rejects everything that the schema rejects, and validates more: numbers in texts, control characters, and the
   * segments of a path. Groups have none: the schema of their fields is part of theirs.
   */
  schema?(setting: S): ValueSchema;
  /** The placeholder of the flag; absent if it is the last word of the name: the codec of `video_codec`. */
  placeholder?(setting: S, name: string): string;
  /** The range of the value in the help of the flag; absent or empty if the help has none. */
  range?(setting: S): string;
  /** All values, for completion; absent if they are not listed. */
  words?(setting: S): readonly string[];
  /**
   * Converts a word of the command line, or the words of a repeated flag, to the value of the request; absent if they
   * are the same. What cannot be converted is returned unchanged, and the service validates it. Throws `UsageError` if
   * a `name=value` text is malformed or names an unknown setting.
   */
  fromFlag?(setting: S, word: unknown, flag: string): unknown;
  /** Converts the text of an XML element to the value in JSON; absent if only whitespace around it is removed. */
  fromXml?(text: string): string;
}

/** A JSON Schema of a value, limited to the keywords that kinds use. */
export interface ValueSchema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly additionalProperties?: boolean | ValueSchema;
  readonly propertyNames?: ValueSchema;
  readonly maxProperties?: number;
  readonly anyOf?: readonly ValueSchema[];
  readonly not?: ValueSchema;
}

/** A type of JSON Schema. */
type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

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
  return 'rule' in scalar ? invalidResult(`${path} ${scalar.rule}`) : validResult(scalar.value);
}

/** The result for a value that counts as omitted. */
export const omitted: ParseResult<never> = { validationErrors: [], warnings: [] };

/** The result for a valid value. */
export function validResult<T>(value: T): ParseResult<T> {
  return { value, validationErrors: [], warnings: [] };
}

/** A result with one validation error. */
export function invalidResult(text: string): ParseResult<never> {
  return { validationErrors: [text], warnings: [] };
}

/** The result for a value that counts as omitted, with a warning. */
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

/** A case-insensitive pattern for one of several words: JSON Schema has no flag for that. */
export function inAnyCase(words: readonly string[]): string {
  const patterns = words.map((word) =>
    word.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`),
  );
  return `(?:${patterns.join('|')})`;
}

/** Inline code. */
export function code(text: string): string {
  return `\`${text}\``;
}
