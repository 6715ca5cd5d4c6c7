import type { SettingRecord } from '../../records.js';
import { jobTable, outputTable, type Setting, type SettingsTable } from '../index.js';
import { kindOf, nestedSettings } from '../kinds/groups.js';
import { code } from '../kinds/kind.js';
import { exceptionsText } from './setting-support.js';

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
