import { isObject } from '../../../src/shared/util/is-object.js';
import type { Ratio } from '../../jobs/media.js';

/**
 * An object of ffprobe's output. Its values are checked when read, because builds differ in what they print and how.
 */
export type ProbeObject = Readonly<Record<string, unknown>>;

/** The object at a key; empty if missing. */
export function objectAt(from: ProbeObject, key: string): ProbeObject {
  const value = from[key];
  return isObject(value) ? value : {};
}

/** The objects in the array at a key; empty if missing. */
export function objectsAt(from: ProbeObject, key: string): readonly ProbeObject[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Parses ffprobe's output; an empty object if it is not JSON. */
export function parseProbe(text: string): ProbeObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The text at a key; null if it is missing or unknown. */
export function textAt(from: ProbeObject, key: string): string | null {
  const value = from[key];
  return typeof value === 'string' && value !== '' && value !== 'N/A' && value !== 'unknown' ? value : null;
}

/** The number at a key, printed as a number or as text; otherwise null. */
export function numberAt(from: ProbeObject, key: string): number | null {
  const value = from[key];
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^-?\d+(?:\.\d+)?$/.test(value)) return null;
  return Number(value);
}

/** The ratio at a key, `30000/1001` or `4:3`; null unless both parts are positive. */
export function ratioAt(from: ProbeObject, key: string): Ratio | null {
  const parts = /^(\d+)[/:](\d+)$/.exec(textAt(from, key) ?? '');
  const [numerator, denominator] = [Number(parts?.[1]), Number(parts?.[2])];
  return numerator > 0 && denominator > 0 ? { numerator, denominator } : null;
}

/** The tag `name` in any letter case, with or without a language suffix (`DURATION-eng`). */
export function tagAt(stream: ProbeObject, name: string): string | null {
  const tags = objectAt(stream, 'tags');
  const key = Object.keys(tags).find((key) => key.toLowerCase().split('-')[0] === name);
  return key === undefined ? null : textAt(tags, key);
}

/** Whether a disposition flag of a stream is set. */
export function hasDisposition(stream: ProbeObject, name: string): boolean {
  return numberAt(objectAt(stream, 'disposition'), name) === 1;
}

/** Whether a stream is an image that the file shows for itself. The images of chapters are timed. */
export function isCover(stream: ProbeObject): boolean {
  return (
    textAt(stream, 'codec_type') === 'video' &&
    hasDisposition(stream, 'attached_pic') &&
    !hasDisposition(stream, 'timed_thumbnails')
  );
}

/** Whether a stream is a track of video, audio or subtitles, and not a cover image, a file or data. */
export function isTrack(stream: ProbeObject): boolean {
  return !isCover(stream) && /^(?:video|audio|subtitle)$/.test(textAt(stream, 'codec_type') ?? '');
}
