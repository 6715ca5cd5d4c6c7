import type { SettingRecord } from '../../records.js';
import { defaultText, meaningText, nestedSettings, valueText } from '../describe-setting.js';
import { jobTable, outputTable, type Setting, type SettingsTable } from '../index.js';
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
    value: withoutQuotes(valueText(setting)),
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
