import { isObject } from '../util/is-object.js';
import { readDistance } from './read-distance.js';
import { readMap } from './read-map.js';
import { readBoolean, readInteger, readNumber, readNumberChoice } from './read-number.js';
import { readSize } from './read-size.js';
import { readChoice, readText } from './read-text.js';
import { readTime } from './read-time.js';
import { readUrl } from './read-url.js';
import { allOf, complaint, pathTo, type Reading, readingOf } from './reading.js';
import type { ListSetting, ObjectSetting, Setting, SettingsOf, SettingsTable } from './setting.js';

/**
 * Reads one value against its row of a table. It looks no deeper than the tables do, so that a request nested
 * without end costs nothing.
 */
export function readValue(setting: Setting, value: unknown, path: string): Reading<unknown> {
  switch (setting.kind) {
    case 'integer':
      return readingOf(path, readInteger(setting, value));
    case 'number':
      return readingOf(path, readNumber(setting, value));
    case 'number-choice':
      return readingOf(path, readNumberChoice(setting, value));
    case 'boolean':
      return readingOf(path, readBoolean(setting, value));
    case 'text':
      return readingOf(path, readText(setting, value));
    case 'choice':
      return readingOf(path, readChoice(setting, value));
    case 'url':
      return readingOf(path, readUrl(setting, value));
    case 'size':
      return readingOf(path, readSize(setting, value));
    case 'time':
      return readingOf(path, readTime(setting, value));
    case 'distance':
      return readingOf(path, readDistance(setting, value));
    case 'object':
      return readObject(setting, value, path);
    case 'list':
      return readList(setting, value, path);
    case 'map':
      return readMap(setting, value, path);
  }
}

/** The reading of an object's fields, with those that are valid by themselves even where others are not. */
export interface FieldsReading<T extends SettingsTable> extends Reading<SettingsOf<T>> {
  readonly valid: Partial<SettingsOf<T>>;
}

/**
 * Reads the fields of an object against a table: typed settings in the table's order, every complaint, and
 * the fields that the table does not know. null means left out. Own properties only, so that a field named
 * `__proto__` is an unknown one like any other.
 */
export function readFields<T extends SettingsTable>(
  table: T,
  given: Readonly<Record<string, unknown>>,
  path: string,
): FieldsReading<T> {
  const readings = Object.entries(table).map(
    ([name, setting]) => [name, readSpellings(name, setting, given, path)] as const,
  );
  const known = new Set(Object.entries(table).flatMap(([name, { spellings = [] }]) => [name, ...spellings]));
  const found = allOf(readings.map(([, reading]) => reading));
  const values = readings.flatMap(([name, { value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  // The loop over the table gives each of its names a value of its kind, which the compiler cannot follow.
  const valid = Object.fromEntries(values) as SettingsOf<T>;
  return {
    ...(found.complaints.length === 0 ? { value: valid } : {}),
    valid,
    complaints: found.complaints,
    unknownFields: [
      ...found.unknownFields,
      ...Object.keys(given)
        .filter((name) => !known.has(name))
        .map((name) => pathTo(path, name)),
    ],
  };
}

function readSpellings(
  name: string,
  setting: Setting,
  given: Readonly<Record<string, unknown>>,
  path: string,
): Reading<unknown> {
  const used = [name, ...(setting.spellings ?? [])].filter((spelling) => isGiven(given, spelling));
  const readings = used.map((spelling) => readValue(setting, given[spelling], pathTo(path, spelling)));
  const [first, ...others] = readings;
  if (first === undefined) {
    return setting.isRequired ? complaint(`${pathTo(path, name)} is required: ${gist(setting)}`) : allOf([]);
  }
  const found = allOf(readings);
  if (found.complaints.length > 0) return found;
  if (others.some((other) => JSON.stringify(other.value) !== JSON.stringify(first.value))) {
    return {
      complaints: [
        `${used.map((spelling) => pathTo(path, spelling)).join(' and ')} are the same setting and must not differ`,
      ],
      unknownFields: found.unknownFields,
    };
  }
  return { ...found, value: first.value };
}

/** The first clause of a setting's help: what it is, without the fine points. */
function gist(setting: Setting): string {
  return setting.help.replace(/[;:].*$/, '');
}

function isGiven(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== null && object[name] !== undefined;
}

function readObject(setting: ObjectSetting, value: unknown, path: string): Reading<unknown> {
  if (!setting.isTakenInArray || !Array.isArray(value)) return readOneObject(setting, value, path);
  if (value.length > 1) return complaint(`${path} must be one object, or an array of one`);
  return value.length === 0 ? allOf([]) : readOneObject(setting, value[0], `${path}[0]`);
}

function readOneObject(setting: ObjectSetting, value: unknown, path: string): Reading<unknown> {
  const { textField } = setting;
  if (textField !== undefined && typeof value === 'string') {
    return readTextFor(setting.fields, textField, value, path);
  }
  if (!isObject(value)) {
    const or = textField === undefined ? '' : `, or the text of its ${textField}`;
    return complaint(`${path} must be an object${or}`);
  }
  const fields = readFields(setting.fields, value, path);
  const { oneOf = [] } = setting;
  if (oneOf.length === 0 || oneOf.filter((name) => isGiven(value, name)).length === 1) return fields;
  const complaints = [...fields.complaints, `${path} must have exactly one of ${oneOf.join(' and ')}`];
  return { complaints, unknownFields: fields.unknownFields };
}

/** A text in the place of an object: what is wrong with it is told by the path of the object, as there is no other in the request. */
function readTextFor(fields: SettingsTable, name: string, text: string, path: string): Reading<unknown> {
  const setting = fields[name];
  const reading =
    setting === undefined ? complaint(`${path} must be an object`) : readValue(setting, text, path);
  return 'value' in reading ? { ...reading, value: { [name]: reading.value } } : reading;
}

function readList(setting: ListSetting, value: unknown, path: string): Reading<unknown> {
  if (!Array.isArray(value)) {
    const only = readValue(setting.of, value, path);
    return 'value' in only ? { ...only, value: [only.value] } : only;
  }
  if (value.length > setting.max) return complaint(`${path} must have at most ${setting.max} entries`);
  if (value.length === 0) return allOf([]);
  const readings = value.map((item: unknown, index) => readValue(setting.of, item, `${path}[${index}]`));
  const found = allOf(readings);
  return found.complaints.length > 0 ? found : { ...found, value: readings.map((reading) => reading.value) };
}
