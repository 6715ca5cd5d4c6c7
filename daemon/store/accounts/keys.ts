import { hash, randomBytes } from 'node:crypto';
import { VencError } from '../../../src/shared/errors.js';
import type { KeyDigest } from '../account-store.js';

/** A new key: 40 hexadecimal digits, 160 random bits. */
export function newKey(): string {
  return randomBytes(20).toString('hex');
}

/** A short id to name a key or an account by, other than those taken. It is random: made of the key, it would tell of it. */
export function newShortId(taken: readonly { readonly id: string }[]): string {
  for (;;) {
    const fresh = randomBytes(4).toString('hex');
    if (taken.every(({ id }) => id !== fresh)) return fresh;
  }
}

/** A new secret to sign notifications with, as Standard Webhooks writes them: `whsec_` and 24 random bytes in base64. */
export function newNotificationSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

/**
 * The form in which a key is kept: its SHA-256. A slow hash as for passwords would gain nothing, since 160 random bits
 * cannot be guessed however fast the hash is, and it would cost its time with every request.
 */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Words of 32 bits in a SHA-256. */
export const wordsPerHash = 8;

/** What a key is compared by. */
export function digestOf(key: string): KeyDigest {
  // In one go: twice as fast as a hash that could be fed further.
  return wordsOf(hash('sha256', key, 'buffer'));
}

/** The same from the form in which it is kept. */
export function digestOfHash(hashHex: string): KeyDigest {
  return wordsOf(Buffer.from(hashHex, 'hex'));
}

function wordsOf(bytes: Buffer): KeyDigest {
  const words = new Int32Array(wordsPerHash);
  for (let word = 0; word < wordsPerHash; word += 1) words[word] = bytes.readInt32LE(word * 4);
  return words;
}

/** Whether a text can be a key that a header and a one-line file carry. */
export function isValidKey(key: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(key);
}

/** Refuses, with `UsageError`, a key chosen by a person that a header or a one-line file could not carry. */
export function requireValidKey(key: string): void {
  if (isValidKey(key)) return;
  throw new VencError(
    'UsageError',
    'The API key in VENC_API_KEY must be 1 to 255 letters, digits or signs of ASCII, without spaces.',
  );
}
