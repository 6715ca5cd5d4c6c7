import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import type { FileRef } from './hosted-file-store.js';

const tokenPattern = /^[A-Za-z0-9_-]{1,128}$/;
const urlPattern = /^(?:hosted|upload):\/\/([^/?#]+)\/([^?#]+)$/i;
const addressPattern = /^https?:\/\/[^?#]*\/hosted\/([^/?#]+)\/([^/?#]+)(?:[?#]|$)/i;
const maxNameBytes = 255;

/** Validates a file name. Returns the validation error as a sentence without subject, or null if the name is valid. */
export function validateFileName(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'must be the name of a file';
  if (name.includes('/') || name.includes('\0')) return 'must not contain a slash or a NUL character';
  if (/\p{Surrogate}/u.test(name)) return 'must be valid Unicode text';
  if (Buffer.byteLength(name) > maxNameBytes) return `must not be longer than ${maxNameBytes} bytes in UTF-8`;
  return null;
}

/** Whether a reference is valid: a token of letters, digits, `_` and `-`, and a file name without folders. */
export function isFileRef(ref: FileRef): boolean {
  return isToken(ref.token) && validateFileName(ref.name) === null;
}

/**
 * Whether a text is a valid token. A token never begins with a dot, so the store can keep its own files under such
 * names.
 */
export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** The path of a file in the folder of the store. */
export function hostedFilePath(folder: string, ref: FileRef): string {
  return join(folder, ref.token, ref.name);
}

/** Parses `hosted://TOKEN/NAME` or `upload://TOKEN/NAME`. Returns null if the URL is invalid. */
export function parseFileRefUrl(url: string): FileRef | null {
  return parseRef(url, urlPattern);
}

/**
 * Parses the public address of a hosted file, `https://HOST/hosted/TOKEN/NAME`. The host is not compared: a daemon may
 * have several, and it does not know the tokens of other services. Returns null for any other URL.
 */
export function parseHostedAddress(url: string): FileRef | null {
  return parseRef(url, addressPattern);
}

function parseRef(url: string, pattern: RegExp): FileRef | null {
  const [, token, encodedName] = pattern.exec(url) ?? [];
  if (token === undefined || encodedName === undefined) return null;
  try {
    const ref = { token, name: decodeURIComponent(encodedName) };
    return isFileRef(ref) ? ref : null;
  } catch {
    return null;
  }
}

/** The error of a job whose upload has expired (`gone`) or never existed. */
export function missingFileError(state: 'gone' | 'unknown'): VencError {
  const reason =
    state === 'gone'
      ? 'has expired: uploads are kept until 24 hours after the end of the last job that names them'
      : 'does not exist';
  return new VencError('FileNotFoundError', `The upload ${reason}.`);
}

/** The URL of a hosted file. */
export function fileRefUrl(scheme: 'hosted' | 'upload', ref: FileRef): string {
  return `${scheme}://${ref.token}/${encodeURIComponent(ref.name)}`;
}
