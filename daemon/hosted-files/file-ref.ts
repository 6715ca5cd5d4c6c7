import { join } from 'node:path';
import type { FileRef } from './hosted-file-store.js';

const tokenPattern = /^[A-Za-z0-9_-]{1,128}$/;
const urlPattern = /^(?:hosted|upload):\/\/([^/?#]+)\/([^?#]+)$/i;
const maxNameBytes = 255;

/** Why a text cannot be the name of one file, as a sentence without subject; null where it can. */
export function validateFileName(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'must be the name of a file';
  if (name.includes('/') || name.includes('\0')) return 'must hold no slash and no NUL character';
  if (/\p{Surrogate}/u.test(name)) return 'must be valid Unicode text';
  if (Buffer.byteLength(name) > maxNameBytes) return `must not be longer than ${maxNameBytes} bytes in UTF-8`;
  return null;
}

/** Whether a place can exist at all: a token of letters and digits, and a name without folders. */
export function isFileRef(ref: FileRef): boolean {
  return isToken(ref.token) && validateFileName(ref.name) === null;
}

/** Whether a text can be a token. What begins with a dot never is, so that the store can keep its own files there. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** The path of a file below the folder of the store. */
export function hostedFilePath(folder: string, ref: FileRef): string {
  return join(folder, ref.token, ref.name);
}

/** The place that `hosted://TOKEN/NAME` or `upload://TOKEN/NAME` names; null where it names none. */
export function parseFileRefUrl(url: string): FileRef | null {
  const [, token, encodedName] = urlPattern.exec(url) ?? [];
  if (token === undefined || encodedName === undefined) return null;
  try {
    const ref = { token, name: decodeURIComponent(encodedName) };
    return isFileRef(ref) ? ref : null;
  } catch {
    return null;
  }
}

/** The URL of a hosted file. */
export function fileRefUrl(scheme: 'hosted' | 'upload', ref: FileRef): string {
  return `${scheme}://${ref.token}/${encodeURIComponent(ref.name)}`;
}
