import { createHash, randomBytes } from 'node:crypto';
import { VencError } from '../../../src/api/errors.js';

/** A new key: 40 hexadecimal digits, 160 random bits. */
export function newKey(): string {
  return randomBytes(20).toString('hex');
}

/** A short id to name a key or an account by. It is random: made of the key, it would tell of it. */
export function newShortId(): string {
  return randomBytes(4).toString('hex');
}

/**
 * The form in which a key is kept: its SHA-256. A slow hash as for passwords would gain nothing, since 160 random bits
 * cannot be guessed however fast the hash is, and it would cost its time with every request.
 */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Refuses, with `UsageError`, a key chosen by a person that a header or a one-line file could not carry. */
export function requireUsableKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new VencError(
    'UsageError',
    'The API key in VENC_API_KEY must be 1 to 255 letters, digits or signs of ASCII, without spaces.',
  );
}
