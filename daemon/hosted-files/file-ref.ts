import { join } from 'node:path';
import type { ShelfPlace } from './hosted-file-store.js';

const tokenPattern = /^[A-Za-z0-9_-]{1,128}$/;
const urlPattern = /^(?:hosted|upload):\/\/([^/?#]+)\/([^?#]+)$/i;
const maxNameBytes = 255;

/** Why a text cannot be the name of one file, as a sentence without subject; null where it can. */
export function nameComplaint(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'must be the name of a file';
  if (name.includes('/') || name.includes('\0')) return 'must hold no slash and no NUL character';
  if (/\p{Surrogate}/u.test(name)) return 'must be valid Unicode text';
  if (Buffer.byteLength(name) > maxNameBytes) return `must not be longer than ${maxNameBytes} bytes in UTF-8`;
  return null;
}

/** Whether a place can exist at all: a token of letters and digits, and a name without folders. */
export function isShelfPlace(place: ShelfPlace): boolean {
  return isToken(place.token) && nameComplaint(place.name) === null;
}

/** Whether a text can be a token. What begins with a dot never is, so that a shelf can keep its own things there. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** Where a place lies below the folder of a shelf. */
export function pathOf(folder: string, place: ShelfPlace): string {
  return join(folder, place.token, place.name);
}

/** The place that `hosted://TOKEN/NAME` or `upload://TOKEN/NAME` names; null where it names none. */
export function parseShelfUrl(url: string): ShelfPlace | null {
  const [, token, encodedName] = urlPattern.exec(url) ?? [];
  if (token === undefined || encodedName === undefined) return null;
  try {
    const place = { token, name: decodeURIComponent(encodedName) };
    return isShelfPlace(place) ? place : null;
  } catch {
    return null;
  }
}

/** The URL of a place: the opposite of {@link parseShelfUrl}. */
export function shelfUrl(scheme: 'hosted' | 'upload', place: ShelfPlace): string {
  return `${scheme}://${place.token}/${encodeURIComponent(place.name)}`;
}
