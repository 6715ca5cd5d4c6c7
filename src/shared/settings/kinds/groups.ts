import { collect, VencError } from '../../errors.js';
import { parseAssignments } from '../../flag-parsers.js';
import { findSuggestions } from '../../text/suggestions.js';
import { isObject } from '../../util/is-object.js';
import type {
  ListSetting,
  ObjectSetting,
  RequestFields,
  RequestWarning,
  Setting,
  SettingsOf,
  SettingsTable,
} from '../setting.js';
import { canonicalName, type GivenNames, groupBySpelling, hasValue, rowsOf } from '../spellings.js';
import {
  code,
  invalidResult,
  mergeResults,
  omitted,
  type ParseResult,
  pathTo,
  type SettingKind,
} from './kind.js';
import { map } from './map.js';
import { bytes, distance, ratio, size, time } from './measures.js';
import { boolean, integer, number, numberChoice, toDecimal } from './numbers.js';
import { choice, text, unchecked, url } from './text.js';

/** An object of nested settings. */
const object: SettingKind<ObjectSetting> = {
  mayHoldSecret: true,
  parse({ fields, textField, oneOf = [] }, value, path) {
    if (textField !== undefined && typeof value === 'string')
      return parseTextFor(fields, textField, value, path);
    if (!isObject(value)) {
      const or = textField === undefined ? '' : `, or the ${textField} as a string`;
      return invalidResult(`${path} must be an object${or}`);
    }
    const result = parseObjectFields(fields, value, path);
    if (oneOf.length === 0 || oneOf.some((name) => hasValue(value, name))) return result;
    const validationErrors = [...result.validationErrors, `${path} must have ${oneOf.join(' or ')}`];
    return { validationErrors, warnings: result.warnings, partial: result.partial };
  },
  describe: ({ textField }) =>
    textField === undefined ? 'object' : `object, or the ${code(textField)} as a string`,
  example(setting) {
    const required = requiredExamples(setting, true);
    if (Object.keys(required).length > 0) return required;
    const [first] = Object.entries(setting.fields);
    return first === undefined ? {} : { [first[0]]: exampleValue(first[1]) };
  },
  placeholder({ textField, numberField }) {
    if (textField !== undefined) return `<${textField}>`;
    return numberField === undefined ? '<name=value,...>' : '<n|name=value,...>';
  },
  range({ fields, textField }) {
    // Such an object is typed as plain text; its other fields are available only in requests.
    return textField === undefined ? Object.entries(fields).map(fieldNote).join(', ') : '';
  },
  fromFlag({ fields, textField, numberField, isOrdered }, word, flag) {
    if (typeof word !== 'string') return word;
    if (isOrdered && !word.includes('=')) return fieldsInOrder(fields, word, flag);
    // The text of such a field can have any form, unless it begins with the name of a field.
    const [, name = ''] = /^([a-z_]+)=/.exec(word) ?? [];
    if (textField !== undefined && !Object.hasOwn(fields, name)) return word;
    if (numberField === undefined) return fieldsFromFlag(fields, word, flag);
    const number = toDecimal(word);
    if (number !== undefined) return { [numberField]: number };
    if (word.includes('=')) return fieldsFromFlag(fields, word, flag);
    throw new VencError('UsageError', `${flag} must be a number or name=value,name=value.`, {
      hint: `for example 5, or ${numberField}=5; the names are ${Object.keys(fields).join(', ')}`,
    });
  },
};

/** One value or several. */
const list: SettingKind<ListSetting> = {
  isRepeatable: true,
  mayHoldSecret: true,
  parse(setting, given, path) {
    const isSeveral = setting.isCommaSeparated === true && typeof given === 'string' && given.includes(',');
    const value = isSeveral ? given.split(',').map((one) => one.trim()) : given;
    const members = groupMembers(setting, value, path);
    if (members === null && !Array.isArray(value)) {
      const singleResult = parseValue(setting.of, value, path);
      if ('value' in singleResult) return { ...singleResult, value: [singleResult.value] };
      return { ...singleResult, ...partialList(setting, [singleResult]) };
    }
    // A name whose value is no object may be no group but a value, so the message does not repeat it.
    if (members?.some(({ item }) => !isObject(item)) === true) {
      const error = invalidResult(`${path} must have an object, or an array of objects, for each group`);
      return { ...error, partial: members.map(({ own }) => own) };
    }
    const items: readonly ListItem[] =
      members ?? [value].flat().map((item: unknown, index) => ({ item, at: `${path}[${index}]` }));
    if (items.length > setting.max) return invalidResult(`${path} must have at most ${setting.max} entries`);
    if (items.length === 0)
      return setting.isNeverEmpty === true ? invalidResult(`${path} must not be empty`) : omitted;
    const results = items.map(({ item, at }) => parseValue(setting.of, item, at));
    const merged = mergeResults(results);
    return merged.validationErrors.length > 0
      ? { ...merged, ...partialList(setting, results) }
      : { ...merged, value: results.flatMap((result) => ('value' in result ? [result.value] : [])) };
  },
  describe: ({ of, max }) => `one, or an array of up to ${max}: ${kindOf(of).describe(of)}`,
  example: ({ of }) => [exampleValue(of)],
  placeholder: ({ of }, name) => placeholderOf(of, name),
  range: ({ of }) => rangeOf(of),
  fromFlag({ of, isSentAlone }, word, flag) {
    const words: readonly unknown[] = [word].flat();
    // A list of plain words can also be one comma-separated word, as in permissions="READ,WRITE".
    const isPlain = of.kind !== 'object';
    const values = words
      .flatMap((one) => (isPlain && typeof one === 'string' ? one.split(',') : [one]))
      .map((one) => requestValue(of, one, flag));
    return isSentAlone && values.length === 1 ? values[0] : values;
  },
};

/** The kinds of settings. To add one: its row in `setting.ts`, and its object. */
export const kinds: { readonly [Kind in Setting['kind']]: SettingKind<Extract<Setting, { kind: Kind }>> } = {
  integer,
  number,
  boolean,
  text,
  url,
  choice,
  'number-choice': numberChoice,
  size,
  bytes,
  ratio,
  time,
  distance,
  object,
  list,
  map,
  unchecked,
};

/** What venc does with the kind of a setting. */
export function kindOf(setting: Setting): SettingKind<Setting> {
  return kinds[setting.kind];
}

/**
 * Validates one value against its row of a table. Recurses only as deep as the tables, so that a deeply nested
 * request costs nothing.
 */
export function parseValue(setting: Setting, value: unknown, path: string): ParseResult<unknown> {
  return kindOf(setting).parse(setting, value, path);
}

/** Converts a word of the command line to the value for the request, as `SettingKind.fromFlag`. */
export function requestValue(setting: Setting, word: unknown, flag: string): unknown {
  const { fromFlag } = kindOf(setting);
  return fromFlag === undefined ? word : fromFlag(setting, word, flag);
}

/** The placeholder of a flag, e.g. `<codec>`. */
export function placeholderOf(setting: Setting, name: string): string {
  return kindOf(setting).placeholder?.(setting, name) ?? `<${name.replace(/^.*_/, '')}>`;
}

/** The range of the value of a setting; empty if its kind has none. */
export function rangeOf(setting: Setting): string {
  return kindOf(setting).range?.(setting) ?? '';
}

/** A valid value of a setting, for examples; undefined for a setting that is not applied. */
export function exampleValue(setting: Setting): unknown {
  return setting.example ?? kindOf(setting).example(setting);
}

/** Examples of the required fields of an object, and on request of the first of several of which one is required. */
export function requiredExamples({ fields, oneOf = [] }: ObjectSetting, withOneOf = false): RequestFields {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { isRequired }]) => isRequired || (withOneOf && name === oneOf[0]))
      .map(([name, setting]) => [name, exampleValue(setting)]),
  );
}

/** The nested settings of a setting; empty if it has none. */
export function nestedSettings(setting: Setting): SettingsTable {
  if (setting.kind === 'list') return nestedSettings(setting.of);
  return setting.kind === 'object' ? setting.fields : {};
}

/** One field of an object: `number=1 to 500 (1)` shows its range and, in parentheses, its default. */
function fieldNote([name, setting]: readonly [string, Setting]): string {
  const range = setting.kind === 'integer' ? `=${rangeOf(setting)}` : '';
  const value = 'default' in setting && setting.default !== undefined ? ` (${setting.default})` : '';
  return `${name}${range}${value}`;
}

/** Converts `name=value,name=value` to the fields of an object. Throws `UsageError`. */
export function fieldsFromFlag(table: SettingsTable, text: string, flag: string): RequestFields {
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
      const words = named.flatMap(([other, word]) => (other === name ? [word] : []));
      return [name, fieldFromFlag(name, table[name], words, flag)] as const;
    }),
  );
  return Object.fromEntries(pairs);
}

/** Converts `VALUE/VALUE` to the fields of an object in their order. Throws `UsageError`. */
function fieldsInOrder(table: SettingsTable, text: string, flag: string): RequestFields {
  const names = Object.keys(table);
  const words = text.split('/');
  if (words.length !== names.length) throw new VencError('UsageError', `${flag} must be ${names.join('/')}.`);
  return Object.fromEntries(
    words.map((word, at) => {
      const name = names[at] ?? '';
      return [name, fieldFromFlag(name, table[name], [word.trim()], flag)];
    }),
  );
}

/** The settings of an output are too many for a hint; those of a watermark are not. */
const maxListedSettings = 30;

function knownName(table: SettingsTable, given: string, flag: string): string {
  const name = canonicalName(table, given);
  if (Object.hasOwn(table, name)) return name;
  const names = Object.keys(table);
  const suggestions = findSuggestions(given, names);
  const known = names.length <= maxListedSettings ? { hint: `the settings are ${names.join(', ')}` } : {};
  const hint = suggestions.length === 0 ? known : { hint: `did you mean ${suggestions.join(', ')}?` };
  throw new VencError('UsageError', `${flag} has no setting ${pathTo('', given)}.`, hint);
}

function fieldFromFlag(
  name: string,
  setting: Setting | undefined,
  words: readonly string[],
  flag: string,
): unknown {
  if (setting === undefined) return words;
  const isList = setting.kind === 'list';
  if (words.length > 1 && !isList) throw new VencError('UsageError', `${flag} gives ${name} more than once.`);
  return requestValue(setting, isList ? words : words[0], `${flag}: ${name}`);
}

/** The result of parsing the fields of an object; `valid` holds the valid fields even if others are invalid. */
interface FieldsParseResult<T extends SettingsTable> extends ParseResult<SettingsOf<T>> {
  readonly valid: Partial<SettingsOf<T>>;
  /** The valid fields, and the valid parts of invalid ones. */
  readonly partial: Partial<SettingsOf<T>>;
  /** The names of the invalid fields, as in the table. */
  readonly invalidNames: readonly string[];
}

/**
 * Validates the fields of an object against a table: typed settings in the order of the table, all validation errors,
 * and a warning for each field that is not in the table. null means omitted. A name may have `-` instead of `_`. Reads
 * own properties only, so that a field named `__proto__` is an ordinary unknown field.
 */
export function parseObjectFields<T extends SettingsTable>(
  table: T,
  record: Readonly<Record<string, unknown>>,
  path: string,
): FieldsParseResult<T> {
  const { rows, positions, required } = rowsOf(table);
  const givenNames = groupBySpelling(record, positions);
  const given = [...givenNames.keys()].flatMap((name) => (name === null ? [] : (positions.get(name) ?? [])));
  // Only the rows that matter: a table has far more rows than a request has fields.
  const rowsToParse = [...new Set([...given, ...required])]
    .toSorted((a, b) => a - b)
    .flatMap((position) => rows[position] ?? []);
  const values: Record<string, unknown> = {};
  const parts: Record<string, unknown> = {};
  const invalidNames: string[] = [];
  const validationErrors: string[] = [];
  const warnings: RequestWarning[] = [];
  for (const { name, setting } of rowsToParse) {
    const { value, partial, ...found } = parseSpellings(name, setting, record, { path, givenNames });
    // The names of groups are valid although their entries are not: other settings refer to them.
    const known = setting.kind === 'list' && setting.groupField !== undefined ? (value ?? partial) : value;
    if (known !== undefined) values[name] = known;
    if (partial !== undefined) parts[name] = partial;
    if (found.validationErrors.length > 0) invalidNames.push(name);
    for (const error of found.validationErrors) validationErrors.push(error);
    for (const warning of found.warnings) warnings.push(warning);
  }
  for (const name of givenNames.get(null) ?? []) {
    const unknown = { table, parent: path, name };
    const text = { message: 'is not known and was ignored', strictError: 'is not known' };
    warnings.push({ field: pathTo(path, name), ...text, unknown });
  }
  // The loop gives each name of the table a value of its kind, but the compiler cannot infer that.
  const valid = values as SettingsOf<T>;
  return {
    ...(validationErrors.length === 0 ? { value: valid } : {}),
    valid,
    partial: Object.keys(parts).length === 0 ? valid : { ...valid, ...parts },
    invalidNames,
    validationErrors,
    warnings,
  };
}

function parseSpellings(
  name: string,
  setting: Setting,
  record: Readonly<Record<string, unknown>>,
  { path, givenNames }: { readonly path: string; readonly givenNames: GivenNames },
): ParseResult<unknown> {
  const usedSpellings = [name, ...(setting.spellings ?? [])]
    .flatMap((spelling) => givenNames.get(spelling) ?? [])
    .filter((spelling) => hasValue(record, spelling) && !isEmptyObject(setting, record[spelling]));
  const results = usedSpellings.map((spelling) =>
    parseValue(setting, record[spelling], pathTo(path, spelling)),
  );
  const [first, ...others] = results;
  if (first === undefined) {
    return setting.isRequired
      ? invalidResult(`${pathTo(path, name)} is required: ${firstClause(setting)}`)
      : omitted;
  }
  const { validationErrors, warnings } = others.length === 0 ? first : mergeResults(results);
  if (validationErrors.length > 0) return { validationErrors, warnings, partial: first.partial };
  if (others.some((other) => JSON.stringify(other.value) !== JSON.stringify(first.value))) {
    return {
      validationErrors: [
        `${usedSpellings.map((spelling) => pathTo(path, spelling)).join(' and ')} are the same setting and must have the same value`,
      ],
      warnings,
    };
  }
  return { validationErrors, warnings, ...('value' in first ? { value: first.value } : {}) };
}

/** Whether a value is an empty object as PHP writes it: an empty array. */
function isEmptyObject({ kind }: Setting, value: unknown): boolean {
  return (kind === 'object' || kind === 'map') && Array.isArray(value) && value.length === 0;
}

/** The first clause of the help text of a setting. */
function firstClause(setting: Setting): string {
  return setting.help.replace(/[;:].*$/, '');
}

/** A parsed string given instead of an object. Its errors have the path of the object: the request has no other. */
function parseTextFor(fields: SettingsTable, name: string, text: string, path: string): ParseResult<unknown> {
  const setting = fields[name];
  const result =
    setting === undefined ? invalidResult(`${path} must be an object`) : parseValue(setting, text, path);
  return 'value' in result ? { ...result, value: { [name]: result.value } } : result;
}

/** The valid parts of an invalid list of objects. */
function partialList({ of }: ListSetting, results: readonly ParseResult<unknown>[]): { partial?: unknown } {
  if (of.kind !== 'object') return {};
  return { partial: results.map(({ value, partial = {} }) => value ?? partial) };
}

/** An entry of a list and its path. `own` has the name of its group. */
interface ListItem {
  readonly item: unknown;
  readonly at: string;
  readonly own?: object;
}

/**
 * The entries that an object of objects, or of arrays of objects, stands for: `{"NAME": {}}` or `{"NAME": [{}, {}]}`.
 * Null for any other value, such as an entry itself.
 */
function groupMembers(
  { groupField, of }: ListSetting,
  given: unknown,
  path: string,
): readonly ListItem[] | null {
  if (groupField === undefined || of.kind !== 'object' || !isObject(given)) return null;
  const groups = Object.entries(given).filter(([, members]) => members !== null);
  const isEntry = groups.some(([name, one]) => Object.hasOwn(of.fields, name) && !isObject([one].flat()[0]));
  if (isEntry) return null;
  return groups.flatMap(([name, members]) =>
    [members].flat().map((one: unknown, index) => ({
      own: { [groupField]: name },
      item: isObject(one) ? { ...one, [groupField]: name } : one,
      at: `${pathTo(path, name)}${Array.isArray(members) ? `[${index}]` : ''}`,
    })),
  );
}
