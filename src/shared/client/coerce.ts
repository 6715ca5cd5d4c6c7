import type { ArrayField, Field, RecordOf, RecordTable } from '../records/field.js';
import { inputStates, jobStates, outputStates } from '../states.js';
import { isObject } from '../util/is-object.js';

/*
 * Tolerant readers of a service's answers: other services with this API send numbers as text, leave keys out and add
 * their own.
 */

/** The fields of an object, or of the only object of an array; otherwise none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])) return fieldsOf(value[0]);
  return isObject(value) ? value : {};
}

/** The items of an array; an object counts as an array of one item, anything else as an empty array. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : [];
}

/** A finite number, also given as text; otherwise null. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A number of 0 or more, such as a size or length; otherwise null. */
function readAmount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** A text, also given as a number; otherwise null. */
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** True for `true`, `1` and these as text; otherwise false. */
export function readBoolean(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

/** An id: a safe integer above 0, also given as text; otherwise 0. */
export function readId(value: unknown): number {
  const id = readNumber(value);
  return id !== null && Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** A percentage clamped to 0-100, also given as text with or without a percent sign; otherwise null. */
export function readPercent(value: unknown): number | null {
  const number = readNumber(typeof value === 'string' ? value.replace(/\s*%\s*$/, '') : value);
  return number === null ? null : Math.min(100, Math.max(0, number));
}

/** Times with a time zone are kept as they are. */
const zoned = /T.*(?:Z|[+-]\d\d:?\d\d)$/;
/** All times of the API are UTC, so a time without a zone is not local time. */
const unzoned = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?UTC)?$/;

/**
 * A time as ISO 8601, also given without a zone, or as seconds or milliseconds since 1970; otherwise the text
 * unchanged.
 */
function readTime(value: unknown): string | null {
  const text = readText(value)?.trim();
  if (text === undefined || text === '') return null;
  if (zoned.test(text)) return text;
  // Some databases write a missing date this way.
  if (text.startsWith('0000-00-00')) return null;
  if (/^\d{9,13}(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    return new Date(number < 1e11 ? number * 1000 : number).toISOString();
  }
  const [, day, time] = unzoned.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}Z`;
}

/**
 * Reads a record of a service by the table of its fields. A field that the service leaves out is absent if it is
 * optional, null if it may be null, and otherwise empty: an empty text, 0, false or no entries.
 */
export function coerceRecord<T extends RecordTable>(table: T, value: unknown): RecordOf<T> {
  const fields = fieldsOf(value);
  const entries = Object.entries(table).flatMap(([name, field]) => {
    const given = fields[name] ?? fields[otherNames[name] ?? ''];
    const read = readField(name, field, given);
    if (read !== null && !(field.isOptional === true && isEmpty(read))) return [[name, read]];
    if (field.isOptional === true) return [];
    return [[name, field.isNullable === true ? null : emptyValues[field.type]]];
  });
  // The table is the source of the type.
  return Object.fromEntries(entries) as RecordOf<T>;
}

/** Services use either name, whatever the record. */
const otherNames: Readonly<Record<string, string>> = {
  file_size_bytes: 'file_size_in_bytes',
  file_size_in_bytes: 'file_size_bytes',
};

const emptyValues = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} } as const;

/** Fields whose name says more than their type. */
const namedReaders: Readonly<Record<string, (value: unknown) => unknown>> = {
  progress: readPercent,
  current_event_progress: readPercent,
  current_event: (value) => (readText(value) === null ? null : readState(readText(value)?.toLowerCase())),
  error_message: (value) => readText(value) || null,
  error_class: (value) => readText(value) || null,
  pass_through: readPassThrough,
  priority: (value) => readNumber(value) || null,
  speed: readNumber,
};

/** The value of a field; null if there is none. */
function readField(name: string, field: Field, value: unknown): unknown {
  const named = namedReaders[name];
  if (named !== undefined) return named(value);
  switch (field.type) {
    case 'boolean':
      return readBoolean(value);
    case 'integer':
      if (field.words?.includes(String(value)) === true) return value;
      return /^(?:.*_)?id$/.test(name) ? readId(value) || null : readAmount(value);
    case 'number':
      return readAmount(value);
    case 'object':
      if (field.isOptional === true && (value === undefined || value === null)) return null;
      return coerceRecord(field.fields, value);
    case 'array':
      return readEntries(field, value);
    case 'string':
      if (field.format === 'date-time') return readTime(value);
      return name === 'state' ? readState(value) : readText(value);
  }
}

/** The entries of a list, without those that have no value, and without files that have no address. */
function readEntries({ item, of }: ArrayField, value: unknown): readonly unknown[] {
  const hasAddress = of.type !== 'object' || of.fields.url === undefined || of.fields.url.isNullable === true;
  return itemsOf(value).flatMap((entry) => {
    const read = readField(item, of, entry);
    if (read === null) return [];
    return hasAddress || fieldsOf(read).url !== '' ? [read] : [];
  });
}

function isEmpty(value: unknown): boolean {
  return value === false || (Array.isArray(value) && value.length === 0);
}

const knownStates: ReadonlySet<string> = new Set([...jobStates, ...inputStates, ...outputStates]);

/**
 * The state in a record. Unknown states are kept: `isFinal` returns false for them, and tables show them. Known states
 * are recognised in any letter case, and "canceled" as well.
 */
export function readState(value: unknown): string {
  const text = readText(value)?.trim() ?? '';
  const state = text
    .toLowerCase()
    .replace(/^canceled$/, 'cancelled')
    .replace(/^no_input$/, 'no input');
  return knownStates.has(state) ? state : text || 'unknown';
}

/** May be any value (section 2.3): one that is not a text is shown as JSON. */
function readPassThrough(value: unknown): string | null {
  return readText(value) ?? (value === undefined || value === null ? null : JSON.stringify(value));
}
