import { collect, VencError } from '../errors.js';
import { normalizeTypedTime } from '../flag-parsers.js';
import { parseJsonSyntax } from '../text/json-syntax.js';
import { findSuggestions } from '../text/suggestions.js';
import { isObject } from '../util/is-object.js';
import { outputTable } from './index.js';
import { pathTo } from './parse-result.js';
import { toDecimal } from './read-number.js';
import type {
  BooleanSetting,
  ListSetting,
  MapSetting,
  ObjectSetting,
  Setting,
  SettingsTable,
} from './setting.js';

/** Fields of a request as a client sends them, under the names of the service. */
export type RequestFields = Readonly<Record<string, unknown>>;

/**
 * Converts a word of the command line to the value for the request: text to numbers and booleans where possible,
 * `x265` to `hevc`, `1:30` to `00:01:30`. Anything else stays text, and the service validates it. A flag that was
 * given several times is an array of words. Throws `UsageError` if a `name=value` text is malformed or names an
 * unknown setting.
 */
export function requestValue(setting: Setting, word: unknown, flag: string): unknown {
  switch (setting.kind) {
    case 'integer':
    case 'number':
    case 'number-choice':
      return toDecimal(word) ?? word;
    case 'boolean':
      return booleanValue(setting, word);
    case 'choice':
      return setting.synonyms?.[String(word).toLowerCase()] ?? word;
    case 'time':
      return typeof word === 'string' ? normalizeTypedTime(word) : word;
    case 'list':
      return listValue(setting, word, flag);
    case 'map':
      return mapValue(setting, word, flag);
    case 'object':
      // With `textField`, the text is the value of that field and can have any form, unless it begins with the name of
      // a field.
      return typeof word === 'string' && (setting.textField === undefined || beginsWithField(setting, word))
        ? objectValue(setting, word, flag)
        : word;
    default:
      return word;
  }
}

/**
 * Parses the value of `--output`: `name=value,name=value`, or a JSON object, which is returned unchanged. The content
 * of the file in `--output @FILE` has the same form. Error messages call it `flag`.
 */
export function parseOutputFlag(text: string, flag = '--output'): RequestFields {
  if (!text.trimStart().startsWith('{')) return tableValue(outputTable, text, flag);
  const result = parseJsonSyntax(text);
  if ('value' in result && isObject(result.value)) return result.value;
  const where = 'value' in result || result.position === null ? '' : `: syntax error at ${result.position}`;
  throw new VencError('UsageError', `${flag} is not valid JSON${where}.`);
}

function tableValue(table: SettingsTable, text: string, flag: string): RequestFields {
  const named = collect(
    parseAssignments(text, flag).map(
      ([given, value]) =>
        () =>
          [knownName(table, given, flag), value] as const,
    ),
  );
  const names = [...new Set(named.map(([name]) => name))];
  const pairs = collect(
    names.map((name) => () => {
      const values = named.flatMap(([other, value]) => (other === name ? [value] : []));
      return [name, settingValue(table, name, values, flag)] as const;
    }),
  );
  return Object.fromEntries(pairs);
}

/** The settings of an output are too many for a hint; those of a watermark are not. */
const maxListedSettings = 30;

function knownName(table: SettingsTable, given: string, flag: string): string {
  const name = nameIn(table, given);
  if (name !== undefined) return name;
  const suggestions = findSuggestions(given, Object.keys(table));
  const isShort = Object.keys(table).length <= maxListedSettings;
  const known = isShort ? { hint: `the settings are ${Object.keys(table).join(', ')}` } : {};
  const hint = suggestions.length === 0 ? known : { hint: `did you mean ${suggestions.join(', ')}?` };
  throw new VencError('UsageError', `${flag} has no setting ${pathTo('', given)}.`, hint);
}

function settingValue(table: SettingsTable, name: string, values: readonly string[], flag: string): unknown {
  const setting = table[name];
  if (setting === undefined) return values;
  const entryName = `${flag}: ${name}`;
  if (setting.kind === 'list') return requestValue(setting, values, entryName);
  if (values.length > 1) throw new VencError('UsageError', `${flag} gives ${name} more than once.`);
  return requestValue(setting, values[0], entryName);
}

function nameIn(table: SettingsTable, given: string): string | undefined {
  const found = Object.entries(table).find(
    ([name, { spellings = [] }]) => name === given || spellings.includes(given),
  );
  return found?.[0];
}

function booleanValue(setting: BooleanSetting, word: unknown): unknown {
  const value = { true: true, false: false, '1': true, '0': false }[String(word)];
  if (value === undefined) return word;
  return setting.isSentAsInteger ? Number(value) : value;
}

function listValue(setting: ListSetting, word: unknown, flag: string): unknown {
  const words: readonly unknown[] = Array.isArray(word) ? word : [word];
  // A list of plain words can also be one comma-separated word, as in permissions="READ,WRITE".
  const isPlain = setting.of.kind !== 'object';
  const values = words
    .flatMap((one) => (isPlain && typeof one === 'string' ? one.split(',') : [one]))
    .map((one) => requestValue(setting.of, one, flag));
  return setting.isSentAlone && values.length === 1 ? values[0] : values;
}

function mapValue({ words = [] }: MapSetting, word: unknown, flag: string): unknown {
  const given: readonly string[] = (Array.isArray(word) ? word : [word]).map(String);
  const [only = ''] = given;
  if (given.length === 1 && words.includes(only.toLowerCase())) return only;
  const entries = given.map((one) => /^([^=]*)=(.*)$/s.exec(one) ?? []);
  if (entries.some(([, name = '']) => name === '')) {
    const orWord = words.length === 0 ? '' : `, or one of ${words.join(', ')} alone`;
    throw new VencError('UsageError', `${flag} must be name=value${orWord}.`);
  }
  return Object.fromEntries(entries.map(([, name = '', value = '']) => [name, value]));
}

function beginsWithField({ fields }: ObjectSetting, word: string): boolean {
  const name = /^([a-z_]+)=/.exec(word)?.[1];
  return name !== undefined && Object.hasOwn(fields, name);
}

function objectValue(setting: ObjectSetting, word: string, flag: string): unknown {
  const number = setting.numberField === undefined ? undefined : toDecimal(word);
  if (setting.numberField !== undefined && number !== undefined) return { [setting.numberField]: number };
  if (setting.numberField !== undefined && !word.includes('=')) {
    throw new VencError('UsageError', `${flag} must be a number or name=value,name=value.`, {
      hint: `for example 5, or ${setting.numberField}=5; the names are ${Object.keys(setting.fields).join(', ')}`,
    });
  }
  return tableValue(setting.fields, word, flag);
}

/** One `name=value` of a command line, without its quotes. */
type Assignment = readonly [name: string, value: string];

const onePair = /([^=,"]+)=(?:"((?:[^"]|"")*)"|([^,"][^,]*)?)(,|$)/y;

/**
 * Parses `name=value,name=value`: `x=10,url="a,b"` is `x` with `10` and `url` with `a,b`. A value with a comma is
 * enclosed in double quotes, and a double quote inside is doubled. A name may occur several times, and may be written
 * with `-` instead of `_`. Throws `UsageError` naming `flag`; the message never repeats the text, which may be
 * secret.
 */
export function parseAssignments(text: string, flag: string): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let at = 0; at < text.length; ) {
    onePair.lastIndex = at;
    const found = onePair.exec(text);
    const isUnterminated = found?.[4] === ',' && onePair.lastIndex === text.length;
    if (found === null || isUnterminated) throw malformed(flag);
    const [match, name = '', quoted, plain = ''] = found;
    assignments.push([name.trim().replaceAll('-', '_'), quoted?.replaceAll('""', '"') ?? plain]);
    at += match.length;
  }
  if (assignments.length === 0) throw malformed(flag);
  return assignments;
}

function malformed(flag: string): VencError {
  return new VencError('UsageError', `${flag} must be name=value,name=value`, {
    hint: 'Enclose a value that contains a comma in double quotes: url="a,b".',
  });
}
