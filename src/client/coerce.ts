import { isObject } from '../shared/util/is-object.js';

/*
 * Careful reading of what a service answers: other services that speak the document send numbers as text,
 * leave keys out and add keys of their own.
 */

/** The fields of an object, also where it came alone in an array; none where the value is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])) return fieldsOf(value[0]);
  return isObject(value) ? value : {};
}

/** The items of an array; a lone object counts as an array of one, anything else as an empty one. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : [];
}

/** A finite number, also where it came as text; null for all else. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A number that is not below 0, as sizes and lengths are; null for all else. */
export function readAmount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** A text, also where it came as a number; null for all else. */
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** True for `true`, `1` and these as text; false for all else. */
export function readBoolean(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

/** An id: a whole number above 0, also where it came as text; 0 where there is none that a number can hold. */
export function readId(value: unknown): number {
  const id = readNumber(value);
  return id !== null && Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** A percentage brought into 0-100, also where it came as text, with its sign or without; null where there is none. */
export function readPercent(value: unknown): number | null {
  const number = readNumber(typeof value === 'string' ? value.replace(/\s*%\s*$/, '') : value);
  return number === null ? null : Math.min(100, Math.max(0, number));
}

/** Times with their zone are exact as they are. */
const zoned = /T.*(?:Z|[+-]\d\d:?\d\d)$/;
/** The document has all times in UTC: what names no zone must not be taken for local time. */
const unzoned = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?UTC)?$/;

/** A time as ISO 8601, also where it came without a zone, or as seconds or milliseconds since 1970; else the text as it came. */
export function readTime(value: unknown): string | null {
  const text = readText(value)?.trim();
  if (text === undefined || text === '') return null;
  if (zoned.test(text)) return text;
  // How some databases write that there is none.
  if (text.startsWith('0000-00-00')) return null;
  if (/^\d{9,13}(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    return new Date(number < 1e11 ? number * 1000 : number).toISOString();
  }
  const [, day, time] = unzoned.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}Z`;
}
