import { jobTable, outputTable } from '../../shared/settings/index.js';
import { parseValue } from '../../shared/settings/parse-value.js';
import { canonicalName } from '../../shared/settings/sent-paths.js';
import type { Setting, SettingsTable } from '../../shared/settings/setting.js';
import { isObject } from '../../shared/util/is-object.js';
import { type SettingSources, typedValue } from './setting-sources.js';

/** Kinds of settings whose values are shown. Texts and URLs may contain passwords. */
const shownKinds: readonly Setting['kind'][] = [
  'integer',
  'number',
  'number-choice',
  'boolean',
  'choice',
  'ratio',
  'size',
  'time',
  'distance',
];
/** A longer value was not meant for the setting. */
const maxShownCharacters = 60;

const settingPath = /^(?:outputs\[(\d+)\]\.)?([A-Za-z_]+)((?:\[\d+\]|\.[\w-]+)*) /;

/**
 * The end of the message of a validation error about a value that was typed, with the unit and the value: ` Kbps, not
 * "500k"`. Empty for all other messages, such as those about two settings. Pure.
 */
export function typedValueSuffix(text: string, sources: SettingSources): string {
  const [, digits, name = '', tail = ''] = settingPath.exec(text) ?? [];
  const path = digits === undefined ? 'job' : 'output';
  const table: SettingsTable = path === 'job' ? jobTable : outputTable;
  const setting = table[canonicalName(table, name)];
  const typed = setting === undefined ? undefined : typedValue(path, Number(digits), name, sources);
  if (setting === undefined || typed === undefined) return '';
  const field = fieldAt(setting, typed, tail.match(/\[\d+\]|[\w-]+/g) ?? []);
  if (field === null || !shownKinds.includes(field.setting.kind)) return '';
  const shown = String(field.value);
  const [error = ''] = parseValue(field.setting, field.value, '').validationErrors;
  if (error === '' || !text.endsWith(error) || shown.length > maxShownCharacters) return '';
  const unit = 'unit' in field.setting && / to \d+$/.test(text) ? ` ${field.setting.unit}` : '';
  const hint = /\s[a-z_]+=/.test(shown) ? '; separate settings with commas' : '';
  return `${unit}, not "${shown}"${hint}`;
}

/** The setting and the value at the end of a path such as `[0].number`; null if the value does not have it. */
function fieldAt(
  setting: Setting,
  value: unknown,
  path: readonly string[],
): { readonly setting: Setting; readonly value: unknown } | null {
  const [step, ...rest] = path;
  if (step === undefined) return { setting, value };
  const index = /^\[(\d+)\]$/.exec(step)?.[1];
  if (index !== undefined) {
    const item: unknown = Array.isArray(value) ? value[Number(index)] : value;
    return fieldAt(setting.kind === 'list' ? setting.of : setting, item, rest);
  }
  const one = setting.kind === 'list' ? setting.of : setting;
  const item: unknown = Array.isArray(value) ? value[0] : value;
  if (one.kind !== 'object' || !isObject(item)) return null;
  const fields: SettingsTable = one.fields;
  const inner = fields[canonicalName(fields, step)];
  return inner === undefined ? null : fieldAt(inner, new Map(Object.entries(item)).get(step), rest);
}
