import { findSuggestions } from '../text/suggestions.js';
import { isObject } from '../util/is-object.js';
import { memoizeByKey } from '../util/memoize-by-key.js';
import { nestedSettings } from './describe-setting.js';
import { jobTable, outputTable } from './index.js';
import {
  ignoredResult,
  invalidResult,
  mergeResults,
  type ParseResult,
  pathTo,
  toParseResult,
} from './parse-result.js';
import { parseUnchecked } from './parse-unchecked.js';
import {
  parseBoolean,
  parseBooleanOrAuto,
  parseDistance,
  parseInteger,
  parseNumber,
  parseNumberChoice,
  parseRatio,
  parseSize,
  parseTime,
} from './read-number.js';
import { parseChoice, parseMap, parseText, parseUrlSetting } from './read-text.js';
import type { RequestWarning, UnknownName } from './request-warning.js';
import { canonicalName } from './sent-paths.js';
import type {
  ChoiceSetting,
  ListSetting,
  ObjectSetting,
  Setting,
  SettingsOf,
  SettingsTable,
  TextSetting,
} from './setting.js';

/**
 * Validates one value against its row of a table. Recurses only as deep as the tables, so that a deeply nested
 * request costs nothing.
 */
export function parseValue(setting: Setting, value: unknown, path: string): ParseResult<unknown> {
  if ('acceptsAuto' in setting && typeof value === 'string' && value.toLowerCase() === 'auto')
    return mergeResults([]);
  if (value === '' && 'emptyMeansOmitted' in setting) {
    return ignoredResult({ field: path, message: 'is empty and was ignored' });
  }
  switch (setting.kind) {
    case 'integer':
      return toParseResult(path, parseInteger(setting, value));
    case 'number':
      return toParseResult(path, parseNumber(setting, value));
    case 'number-choice':
      return toParseResult(path, parseNumberChoice(setting, value));
    case 'boolean':
      return toParseResult(
        path,
        setting.mayBeAuto === true ? parseBooleanOrAuto(value) : parseBoolean(value),
      );
    case 'text':
      return parseTextSetting(setting, value, path);
    case 'choice':
      return parseChoiceOrBoolean(setting, value, path);
    case 'url':
      return toParseResult(path, parseUrlSetting(setting, value));
    case 'ratio':
      return toParseResult(path, parseRatio(setting, value));
    case 'size':
      return toParseResult(path, parseSize(setting, value));
    case 'time':
      return toParseResult(path, parseTime(setting, value));
    case 'distance':
      return toParseResult(path, parseDistance(setting, value));
    case 'object':
      return parseObject(setting, value, path);
    case 'list':
      return parseList(setting, value, path);
    case 'map':
      return parseMap(setting, value, path);
    case 'unchecked':
      return parseUnchecked(setting, value, path);
  }
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
  const { rows, positions, required } = tableIndex(table);
  const givenNames = groupBySpelling(record, positions);
  const given = [...givenNames.keys()].flatMap((name) => (name === null ? [] : (positions.get(name) ?? [])));
  // Only the rows that matter: a table has far more rows than a request has fields.
  const results = [...new Set([...given, ...required])]
    .toSorted((a, b) => a - b)
    .flatMap((position) => rows[position] ?? [])
    .map(({ name, setting }) => [name, parseSpellings(name, setting, record, { path, givenNames })] as const);
  const merged = mergeResults(results.map(([, result]) => result));
  const values = results.flatMap(([name, { value, partial }]) => {
    const setting = table[name];
    // The names of groups are valid although their entries are not: other settings refer to them.
    const known = setting?.kind === 'list' && setting.groupField !== undefined ? (value ?? partial) : value;
    return known === undefined ? [] : [[name, known] as const];
  });
  // The loop gives each name of the table a value of its kind, but the compiler cannot infer that.
  const valid = Object.fromEntries(values) as SettingsOf<T>;
  const parts = results.flatMap(([name, { partial }]) =>
    partial === undefined ? [] : [[name, partial] as const],
  );
  return {
    ...(merged.validationErrors.length === 0 ? { value: valid } : {}),
    valid,
    partial: parts.length === 0 ? valid : { ...valid, ...Object.fromEntries(parts) },
    invalidNames: results.flatMap(([name, { validationErrors }]) =>
      validationErrors.length > 0 ? [name] : [],
    ),
    validationErrors: merged.validationErrors,
    warnings: [
      ...merged.warnings,
      ...(givenNames.get(null) ?? [])
        .filter((name) => path !== '' || !nonSettingFields.includes(name))
        .map((name) => unknownFieldWarning({ table, parent: path, name })),
    ],
  };
}

/** The rows of a table by position, the position of each spelling of a name, and the positions of the required rows. */
const tableIndex = memoizeByKey((table: SettingsTable) => {
  const rows = Object.entries(table).map(([name, setting]) => ({ name, setting }));
  const positions = new Map(
    rows.flatMap(({ name, setting: { spellings = [] } }, position) =>
      [name, ...spellings].map((spelling) => [spelling, position] as const),
    ),
  );
  const required = rows.flatMap(({ setting }, position) => (setting.isRequired ? [position] : []));
  return { rows, positions, required };
});

/** The names of a record by the spelling that they stand for; those that are not known by null. */
type GivenNames = ReadonlyMap<string | null, readonly string[]>;

function groupBySpelling(
  record: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, unknown>,
): GivenNames {
  const groups = new Map<string | null, string[]>();
  for (const name of Object.keys(record)) {
    const withUnderscores = name.replaceAll('-', '_');
    const spelling = [name, withUnderscores].find((one) => known.has(one)) ?? null;
    const group = groups.get(spelling);
    if (group === undefined) groups.set(spelling, [name]);
    else group.push(name);
  }
  return groups;
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
      : mergeResults([]);
  }
  const merged = mergeResults(results);
  if (merged.validationErrors.length > 0) return { ...merged, partial: first.partial };
  if (others.some((other) => JSON.stringify(other.value) !== JSON.stringify(first.value))) {
    return {
      validationErrors: [
        `${usedSpellings.map((spelling) => pathTo(path, spelling)).join(' and ')} are the same setting and must have the same value`,
      ],
      warnings: merged.warnings,
    };
  }
  return 'value' in first ? { ...merged, value: first.value } : merged;
}

/** Whether a value is an empty object as PHP writes it: an empty array. */
function isEmptyObject({ kind }: Setting, value: unknown): boolean {
  return (kind === 'object' || kind === 'map') && Array.isArray(value) && value.length === 0;
}

/** The first clause of the help text of a setting. */
function firstClause(setting: Setting): string {
  return setting.help.replace(/[;:].*$/, '');
}

function hasValue(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== null && object[name] !== undefined;
}

function parseTextSetting(setting: TextSetting, value: unknown, path: string): ParseResult<string> {
  const result = parseText(setting, value);
  return 'rule' in result && setting.invalidMeansOmitted === true
    ? ignoredResult({ field: path, message: `was ignored: it ${result.rule}` })
    : toParseResult(path, result);
}

function parseObject(setting: ObjectSetting, value: unknown, path: string): ParseResult<unknown> {
  const { textField } = setting;
  if (textField !== undefined && typeof value === 'string') {
    return parseTextFor(setting.fields, textField, value, path);
  }
  if (!isObject(value)) {
    const or = textField === undefined ? '' : `, or the ${textField} as a string`;
    return invalidResult(`${path} must be an object${or}`);
  }
  const fields = parseObjectFields(setting.fields, value, path);
  const { oneOf = [] } = setting;
  if (oneOf.length === 0 || oneOf.some((name) => hasValue(value, name))) return fields;
  const validationErrors = [...fields.validationErrors, `${path} must have ${oneOf.join(' or ')}`];
  return { validationErrors, warnings: fields.warnings, partial: fields.partial };
}

/**
 * Parses a string given instead of an object. Validation errors have the path of the object, because the request has
 * no other.
 */
function parseTextFor(fields: SettingsTable, name: string, text: string, path: string): ParseResult<unknown> {
  const setting = fields[name];
  const result =
    setting === undefined ? invalidResult(`${path} must be an object`) : parseValue(setting, text, path);
  return 'value' in result ? { ...result, value: { [name]: result.value } } : result;
}

function parseChoiceOrBoolean(setting: ChoiceSetting, value: unknown, path: string): ParseResult<unknown> {
  const isOn = setting.trueMeans === undefined ? { rule: '' } : parseBoolean(value);
  if (!('value' in isOn)) return toParseResult(path, parseChoice(setting, value));
  return isOn.value ? { value: setting.trueMeans, validationErrors: [], warnings: [] } : mergeResults([]);
}

function parseList(setting: ListSetting, given: unknown, path: string): ParseResult<unknown> {
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
  if (items.length === 0) return mergeResults([]);
  const results = items.map(({ item, at }) => parseValue(setting.of, item, at));
  const merged = mergeResults(results);
  return merged.validationErrors.length > 0
    ? { ...merged, ...partialList(setting, results) }
    : { ...merged, value: results.flatMap((result) => ('value' in result ? [result.value] : [])) };
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

/**
 * Fields of a request that are not in the table of the job: its outputs, its API key, and the schema that an editor
 * checks it with.
 */
const nonSettingFields: readonly string[] = ['outputs', 'output', 'api_key', '$schema'];

/** The warning about a name that is not in the table of its object. */
function unknownFieldWarning(unknown: UnknownName): RequestWarning {
  return {
    field: pathTo(unknown.parent, unknown.name),
    message: 'is not known and was ignored',
    strictError: 'is not known',
    unknown,
  };
}

/** A name shorter than this is similar to too many others. */
const minNameLength = 3;

/** What was probably meant by an unknown name, as the end of a sentence; null if nothing is similar. */
export function hintFor({ table, parent, name }: UnknownName): string | null {
  const isJobField = parent === '';
  // A known setting in the wrong object is more likely than a typing error.
  if (table !== outputTable && namesOf(outputTable).includes(name))
    return `${name} belongs in ${isJobField ? 'outputs' : 'the output'}`;
  if (!isJobField && (namesOf(jobTable).includes(name) || name === 'api_key'))
    return `${name} belongs in the job`;
  const places = Object.entries<Setting>(outputTable).filter(([, setting]) =>
    namesOf(nestedSettings(setting)).includes(name),
  );
  if (places.length > 0) return `${name} belongs in ${places.map(([place]) => place).join(' or ')}`;
  if (name.length < minNameLength) return null;
  const suggestions = similarNames(name, table, isJobField ? nonSettingFields : []);
  if (suggestions.length > 0) return `did you mean ${suggestions.join(', ')}?`;
  const [outputSuggestion] = isJobField ? similarNames(name, outputTable) : [];
  return outputSuggestion === undefined
    ? null
    : `did you mean ${outputSuggestion}, which belongs in outputs?`;
}

/** The names of the settings that are spelled like a name, best first; settings that are not applied come last. */
function similarNames(name: string, table: SettingsTable, others: readonly string[] = []): readonly string[] {
  const found = findSuggestions(name, [...namesOf(table), ...others]).map((one) => canonicalName(table, one));
  const isApplied = (one: string) => table[one]?.kind !== 'unchecked';
  const distinct = [...new Set(found)];
  return [...distinct.filter(isApplied), ...distinct.filter((one) => !isApplied(one))];
}

const namesOf = memoizeByKey((table: SettingsTable): readonly string[] =>
  Object.entries(table).flatMap(([name, { spellings = [] }]) => [name, ...spellings]),
);
