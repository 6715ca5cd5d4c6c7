import { isObject } from '../../util/is-object.js';
import { isOff } from '../kinds/text.js';
import type { RequestWarning } from '../request-warning.js';
import type { Setting, SettingsTable } from '../setting.js';

/** What a check of settings found. */
interface SupportResult {
  /** An error, with its path, for each setting that is not supported. */
  readonly validationErrors: readonly string[];
  /** A warning for each setting without effect that a client may expect one of. */
  readonly warnings: readonly RequestWarning[];
}

const noResult: SupportResult = { validationErrors: [], warnings: [] };

/**
 * Checks that settings are supported, so that none is accepted and then ignored. A setting that is not supported is
 * reported once, not again for its nested settings. `path` is the path of the object, empty for the job.
 */
export function checkSupport(
  table: SettingsTable,
  settings: Readonly<Record<string, unknown>>,
  path: string,
): SupportResult {
  const results = Object.entries(settings).map(([name, value]) =>
    checkSetting(table[name], value, path === '' ? name : `${path}.${name}`),
  );
  return mergeResults(results);
}

function checkSetting(setting: Setting | undefined, value: unknown, path: string): SupportResult {
  if (value === undefined || setting === undefined) return noResult;
  const { rejected, noEffect, warns, unless = [], rejectedValues = {} } = setting;
  const isAccepted = () => isOff(value) || unless.some((one) => String(one) === String(value));
  if (rejected !== undefined) {
    return { validationErrors: isAccepted() ? [] : [`${path} ${rejected}`], warnings: [] };
  }
  if (noEffect !== undefined) {
    const message = `has no effect here: ${noEffect}`;
    return { validationErrors: [], warnings: !warns || isAccepted() ? [] : [{ field: path, message }] };
  }
  if (typeof value === 'string' && Object.hasOwn(rejectedValues, value))
    return { validationErrors: [`${path} ${rejectedValues[value]}`], warnings: [] };
  if (Array.isArray(value) && setting.kind === 'list') {
    return mergeResults(
      value.map((item: unknown, index) => checkSetting(setting.of, item, `${path}[${index}]`)),
    );
  }
  return setting.kind === 'object' && isObject(value) ? checkSupport(setting.fields, value, path) : noResult;
}

function mergeResults(results: readonly SupportResult[]): SupportResult {
  return {
    validationErrors: results.flatMap(({ validationErrors }) => validationErrors),
    warnings: results.flatMap(({ warnings }) => warnings),
  };
}

/**
 * The values of a supported setting that are rejected, as a phrase: `except segmented, playlist`; empty if there are
 * none.
 */
export function exceptionsText({ rejectedValues = {} }: Setting): string {
  const values = Object.keys(rejectedValues);
  return values.length === 0 ? '' : `except ${values.join(', ')}`;
}
