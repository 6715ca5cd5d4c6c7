import { sectionTitle, settingHelp } from '../../../src/shared/settings/flags.js';
import { jobTable, outputTable } from '../../../src/shared/settings/index.js';
import { kindOf, parseValue, requestValue } from '../../../src/shared/settings/kinds/groups.js';
import type { Setting, SettingsTable } from '../../../src/shared/settings/setting.js';

/** A setting that the form shows. */
export interface FormSetting {
  readonly name: string;
  readonly setting: Setting;
  /** The title of its group. */
  readonly group: string;
  /** Its text in `--help`. */
  readonly help: string;
  /** `json`: it has several values or fields, which are written in the JSON. */
  readonly control: 'text' | 'number' | 'choice' | 'json';
  /** The words of a choice. */
  readonly words: readonly string[];
  /** What a search looks at, in lower case. */
  readonly searched: string;
}

/** The tables of the objects of a request. */
export const tables: Readonly<Record<'job' | 'output', SettingsTable>> = {
  job: jobTable,
  output: outputTable,
};

/** Fields that other parts of the form set, or the page itself. */
const ownFields: Readonly<Record<'job' | 'output', readonly string[]>> = {
  job: ['input', 'input_name', 'preset', 'mock'],
  output: [],
};

/** The settings of the job or of an output that venc applies, in the order of `--help`. */
export function formSettings(object: 'job' | 'output'): readonly FormSetting[] {
  return Object.entries(tables[object])
    .filter(([name, setting]) => isApplied(setting) && !ownFields[object].includes(name))
    .map(([name, setting]) => {
      const words = wordsOf(setting);
      const group = groupOf(setting);
      const help = settingHelp(setting);
      const synonyms = setting.kind === 'choice' ? Object.keys(setting.synonyms ?? {}) : [];
      const texts = [name, name.replaceAll('_', ' '), ...(setting.spellings ?? []), ...words, ...synonyms];
      return {
        ...{ name, setting, group, help, words, control: controlOf(setting) },
        searched: [...texts, group, help].join('\n').toLowerCase(),
      };
    });
}

/** The settings that a search finds: those that have each of its words. */
export function searchSettings(settings: readonly FormSetting[], search: string): readonly FormSetting[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return settings.filter(({ searched }) => words.every((word) => searched.includes(word)));
}

/** What the control of a setting shows for its value in a request. Null for a value that no control has. */
export function textOfValue({ setting, words }: FormSetting, value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return null;
  if (words.length === 0) return String(value);
  // The same word may be spelled in several ways: h264 as H264, true as 1.
  const { value: parsed = value } = parseValue(setting, value, '');
  return String(parsed);
}

/** The value for the request; undefined for an empty text, which omits the setting. */
export function valueOfText({ name, setting }: FormSetting, text: string): unknown {
  return text === '' ? undefined : requestValue(setting, text, name);
}

/** What is wrong with a value. */
export function valueErrors({ name, setting }: FormSetting, value: unknown): readonly string[] {
  return value === undefined || value === null ? [] : parseValue(setting, value, name).validationErrors;
}

/** Whether venc does what the setting asks for. */
function isApplied({ kind, rejected, noEffect }: Setting): boolean {
  return kind !== 'unchecked' && rejected === undefined && noEffect === undefined;
}

function groupOf({ section }: Setting): string {
  return section === 'addition' ? 'Additions of venc' : sectionTitle(section);
}

function controlOf(setting: Setting): FormSetting['control'] {
  const { kind } = setting;
  if (kind === 'object' || kind === 'list' || kind === 'map') return 'json';
  if (wordsOf(setting).length > 0) return 'choice';
  return kind === 'integer' || kind === 'number' ? 'number' : 'text';
}

/** The words of a setting that the daemon accepts. */
function wordsOf(setting: Setting): readonly string[] {
  const { kind, rejectedValues = {} } = setting;
  if (kind === 'boolean') return ['true', 'false', ...(setting.mayBeAuto === true ? ['auto'] : [])];
  if (kind !== 'choice' && kind !== 'number-choice') return [];
  const words = kindOf(setting).words?.(setting) ?? [];
  return words.filter((word) => !Object.hasOwn(rejectedValues, word));
}
