import { isObject } from '../shared/util/is-object.js';

/*
 * Tolerant readers of a service's answers: other services with this API send numbers as text, leave keys out and add their own.
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
export function readAmount(value: unknown): number | null {
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

/** A time as ISO 8601, also given without a zone, or as seconds or milliseconds since 1970; otherwise the text unchanged. */
export function readTime(value: unknown): string | null {
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
