import type { SettingRecord } from '../../records.js';
import { defaultText, meaningText, nestedSettings, valueText } from '../describe-setting.js';
import { jobTable, outputTable, type Setting, type SettingsTable } from '../index.js';
import { exceptionsText, type SettingSupport, type SettingSupportTable } from './setting-support.js';
import { supportedJobFields, supportedOutputSettings } from './supported-settings.js';

/**
 * Every setting that venc knows, those of the job first, nested ones after their parent: `GET /v2/settings` and `venc explain`. Settings
 * that are not applied are included, with the reason.
 */
export function listSettings(): readonly SettingRecord[] {
  return [
    ...recordsOf(jobTable, supportedJobFields, 'job'),
    ...recordsOf(outputTable, supportedOutputSettings, 'output'),
  ];
}

function recordsOf(
  table: SettingsTable,
  support: SettingSupportTable,
  object: SettingRecord['object'],
  parent = '',
): readonly SettingRecord[] {
  return Object.entries(table).flatMap(([field, setting]) => {
    const name = parent === '' ? field : `${parent}.${field}`;
    const decision = support[name];
    return [
      recordOf(name, setting, decision, object),
      ...(setting.kind === 'unchecked'
        ? (setting.fieldNames ?? []).map((nested) =>
            recordOf(`${name}.${nested}`, { ...setting, spellings: [] }, decision, object),
          )
        : recordsOf(nestedSettings(setting), support, object, name)),
    ];
  });
}

function recordOf(
  name: string,
  setting: Setting,
  support: SettingSupport | undefined,
  object: SettingRecord['object'],
): SettingRecord {
  const value = defaultText(setting);
  return {
    name,
    object,
    spellings: setting.spellings ?? [],
    value: withoutQuotes(valueText(setting)),
    default: value === '-' || setting.isRequired ? null : withoutQuotes(value),
    required: setting.isRequired ?? false,
    meaning: withoutQuotes(meaningText(setting)),
    ...supportFields(support),
  };
}

function supportFields(support: SettingSupport | undefined): Pick<SettingRecord, 'support' | 'reason'> {
  if (support !== undefined && 'unsupported' in support) {
    return { support: 'rejected', reason: support.unsupported };
  }
  if (support !== undefined && 'noEffect' in support) {
    return { support: 'no effect', reason: support.noEffect };
  }
  const exceptions = support === undefined ? '' : exceptionsText(support);
  return { support: 'supported', reason: exceptions === '' ? null : exceptions };
}

function withoutQuotes(text: string): string {
  return text.replaceAll('`', '');
}
