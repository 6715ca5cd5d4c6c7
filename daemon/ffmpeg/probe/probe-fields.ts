import { isObject } from '../../../src/shared/util/is-object.js';
import type { Ratio } from '../../jobs/media.js';

/** An object of ffprobe's answer. What it holds is only believed after a look: builds differ in what they print and how. */
export type ProbeObject = Readonly<Record<string, unknown>>;

/** The object under a key; an empty one where there is none. */
export function objectAt(from: ProbeObject, key: string): ProbeObject {
  const value = from[key];
  return isObject(value) ? value : {};
}

/** The objects in the list under a key; none where there is no list. */
export function objectsAt(from: ProbeObject, key: string): readonly ProbeObject[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** ffprobe's answer as an object; an empty one where it is no JSON. */
export function parseProbe(text: string): ProbeObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The text under a key; null where it is missing or says that it is not known. */
export function textAt(from: ProbeObject, key: string): string | null {
  const value = from[key];
  return typeof value === 'string' && value !== '' && value !== 'N/A' && value !== 'unknown' ? value : null;
}

/** The number under a key, whether it is printed as one or as a text; null for anything else. */
export function numberAt(from: ProbeObject, key: string): number | null {
  const value = from[key];
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^-?\d+(?:\.\d+)?$/.test(value)) return null;
  return Number(value);
}

/** The fraction under a key, `30000/1001` or `4:3`; null where either side is not above zero. */
export function ratioAt(from: ProbeObject, key: string): Ratio | null {
  const parts = /^(\d+)[/:](\d+)$/.exec(textAt(from, key) ?? '');
  const [numerator, denominator] = [Number(parts?.[1]), Number(parts?.[2])];
  return numerator > 0 && denominator > 0 ? { numerator, denominator } : null;
}

/** A tag whose name is `name` in any letter case, alone or with a language behind it (`DURATION-eng`). */
export function tagAt(stream: ProbeObject, name: string): string | null {
  const tags = objectAt(stream, 'tags');
  const key = Object.keys(tags).find((key) => key.toLowerCase().split('-')[0] === name);
  return key === undefined ? null : textAt(tags, key);
}

/** Whether a flag of a stream's disposition is set. */
export function hasDisposition(stream: ProbeObject, name: string): boolean {
  return numberAt(objectAt(stream, 'disposition'), name) === 1;
}
