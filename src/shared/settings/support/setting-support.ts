import { isObject } from '../../util/is-object.js';
import type { jobTable, outputTable } from '../index.js';
import { isOff } from '../parse-unchecked.js';
import type { RequestWarning } from '../request-warning.js';

/** How this version handles a setting. */
export type SettingSupport =
  /** Supported; implemented in this file of the repository. The values in `except` are rejected, each with its text (after the path). */
  | { readonly by: string; readonly except?: Readonly<Record<string, string>> }
  /**
   * Accepted, without effect in this daemon, for this reason. It `warns` if a client may expect another file, except for the
   * values in `unless`, which match the behaviour.
   */
  | { readonly noEffect: string; readonly warns?: true; readonly unless?: readonly unknown[] }
  /** Rejected with this text (after the path of the setting), except for values that match the default behaviour. */
  | { readonly unsupported: string; readonly unless?: readonly unknown[] };

/** The values of a supported setting that are rejected, as a phrase: `except segmented, playlist`; empty if there are none. */
export function exceptionsText({ except = {} }: Extract<SettingSupport, { readonly by: string }>): string {
  const values = Object.keys(except);
  return values.length === 0 ? '' : `except ${values.join(', ')}`;
}

/** The nested settings of a setting; never if it has none. */
type FieldsOf<S> = S extends { kind: 'object'; fields: infer F }
  ? F
  : S extends { kind: 'list'; of: infer O }
    ? FieldsOf<O>
    : never;

/** Paths of all settings of a table; nested ones as `watermark.x`. */
type PathsOf<T> = {
  [K in keyof T & string]: K | ([FieldsOf<T[K]>] extends [never] ? never : `${K}.${PathsOf<FieldsOf<T[K]>>}`);
}[keyof T & string];

/** The path of a setting of the job. */
export type JobPath = PathsOf<typeof jobTable>;
/** The path of a setting of an output. */
export type OutputPath = PathsOf<typeof outputTable>;

/** The support of settings, by path. */
export type SettingSupportTable = Readonly<Record<string, SettingSupport>>;

/** What a check of settings found. */
interface SupportResult {
  /** An error, with its path, for each setting that is not supported. */
  readonly validationErrors: readonly string[];
  /** A warning for each setting without effect that a client may expect one of. */
  readonly warnings: readonly RequestWarning[];
}

/**
 * Checks that settings are supported, so that none is accepted and then ignored. A setting that is not supported is reported once,
 * not again for its nested settings. `path` is the path of the object, empty for the job.
 */
export function checkSupport(
  table: SettingSupportTable,
  settings: Readonly<Record<string, unknown>>,
  path: string,
): SupportResult {
  const results = Object.entries(settings).map(([name, value]) =>
    checkSetting(table, name, value, path === '' ? name : `${path}.${name}`),
  );
  return mergeResults(results);
}

function checkSetting(table: SettingSupportTable, key: string, value: unknown, path: string): SupportResult {
  const support = table[key];
  if (value === undefined || support === undefined) return { validationErrors: [], warnings: [] };
  if ('unsupported' in support) {
    const isAccepted = isOff(value) || isAmong(support.unless, value);
    return { validationErrors: isAccepted ? [] : [`${path} ${support.unsupported}`], warnings: [] };
  }
  if ('noEffect' in support) {
    const isSilent = support.warns !== true || isOff(value) || isAmong(support.unless, value);
    const message = `has no effect here: ${support.noEffect}`;
    return { validationErrors: [], warnings: isSilent ? [] : [{ field: path, message }] };
  }
  const exceptions = support.except ?? {};
  if (typeof value === 'string' && Object.hasOwn(exceptions, value))
    return { validationErrors: [`${path} ${exceptions[value]}`], warnings: [] };
  if (Array.isArray(value)) {
    return mergeResults(
      value.map((item: unknown, index) => checkNested(table, key, item, `${path}[${index}]`)),
    );
  }
  return checkNested(table, key, value, path);
}

function checkNested(table: SettingSupportTable, key: string, value: unknown, path: string): SupportResult {
  if (!isObject(value)) return { validationErrors: [], warnings: [] };
  return mergeResults(
    Object.entries(value).map(([name, nested]) =>
      checkSetting(table, `${key}.${name}`, nested, `${path}.${name}`),
    ),
  );
}

function mergeResults(results: readonly SupportResult[]): SupportResult {
  return {
    validationErrors: results.flatMap(({ validationErrors }) => validationErrors),
    warnings: results.flatMap(({ warnings }) => warnings),
  };
}

function isAmong(values: readonly unknown[] = [], value: unknown): boolean {
  return values.some((one) => String(one) === String(value));
}
