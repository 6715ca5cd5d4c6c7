import type { SettingRecord } from '../records.js';
import { isObject } from '../util/is-object.js';
import { jobTable, outputTable } from './index.js';
import { kindOf, nestedSettings } from './kinds/groups.js';
import { code } from './kinds/kind.js';
import { isOff } from './kinds/text.js';
import type { RequestWarning, Setting, SettingsTable } from './setting.js';

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

/**
 * Every setting that venc knows, those of the job first, nested ones after their parent: `GET /v2/settings` and `venc
 * explain`. Settings that are not applied are included, with the reason.
 */
export function listSettings(): readonly SettingRecord[] {
  return [...recordsOf(jobTable, 'job'), ...recordsOf(outputTable, 'output')];
}

function recordsOf(
  table: SettingsTable,
  object: SettingRecord['object'],
  parent = '',
): readonly SettingRecord[] {
  return Object.entries(table).flatMap(([field, setting]) => {
    const name = parent === '' ? field : `${parent}.${field}`;
    return [
      recordOf(name, setting, object),
      ...(setting.kind === 'unchecked'
        ? (setting.fieldNames ?? []).map((nested) =>
            recordOf(`${name}.${nested}`, { ...setting, spellings: [] }, object),
          )
        : recordsOf(nestedSettings(setting), object, name)),
    ];
  });
}

function recordOf(name: string, setting: Setting, object: SettingRecord['object']): SettingRecord {
  const value = defaultText(setting);
  return {
    name,
    object,
    spellings: setting.spellings ?? [],
    value: withoutQuotes(kindOf(setting).describe(setting)),
    default: value === '-' || setting.isRequired ? null : withoutQuotes(value),
    required: setting.isRequired ?? false,
    meaning: withoutQuotes(meaningText(setting)),
    ...supportFields(setting),
  };
}

function supportFields(setting: Setting): Pick<SettingRecord, 'support' | 'reason'> {
  const { rejected, noEffect } = setting;
  if (rejected !== undefined) return { support: 'rejected', reason: rejected };
  if (noEffect !== undefined) return { support: 'no effect', reason: noEffect };
  const exceptions = exceptionsText(setting);
  return { support: 'supported', reason: exceptions === '' ? null : exceptions };
}

function withoutQuotes(text: string): string {
  return text.replaceAll('`', '');
}

/** Describes the default of a setting: `required` for a required one, `-` if there is none. */
export function defaultText(setting: Setting): string {
  if (setting.isRequired) return 'required';
  if (setting.defaultText !== undefined) return setting.defaultText;
  const value = 'default' in setting ? setting.default : undefined;
  if (value === undefined) return '-';
  if (setting.kind === 'boolean' && setting.isSentAsInteger) return code(value === true ? '1' : '0');
  return code(String(value));
}

/** Describes the meaning of a setting, including the rule about its own fields. */
export function meaningText(setting: Setting): string {
  const inner = setting.kind === 'list' ? setting.of : setting;
  const oneOf = inner.kind === 'object' ? (inner.oneOf ?? []) : [];
  return oneOf.length === 0 ? setting.help : `${setting.help}; with ${oneOf.map(code).join(' or ')} in each`;
}
