import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { EncryptionDecision } from '../plan/decide/packaging.js';

/*
 * Encrypts segments as a whole: AES-128 CBC with PKCS 7, RFC 8216, sections 4.3.2.4 and 5.2.
 */

/** A key of 16 bytes, as a playlist refers to it. */
interface SegmentKey {
  readonly bytes: Buffer;
  readonly uri: string;
  /** The name of its file, next to the playlist; null if it is not delivered. */
  readonly name: string | null;
}

/** The keys of a rendition, and which segments each of them encrypts. */
export interface SegmentEncryption {
  readonly keys: readonly SegmentKey[];
  /** Each key encrypts this number of segments; null if there is one key. */
  readonly periodSegments: number | null;
  /** 16 bytes; null for the number of the segment. */
  readonly iv: Buffer | null;
}

/** The key of a segment, counted from 0. */
export function keyOf({ keys, periodSegments }: SegmentEncryption, index: number): SegmentKey {
  const key = keys[periodSegments === null ? 0 : Math.floor(index / periodSegments)];
  if (key === undefined) throw new TypeError('a segment has no key');
  return key;
}

/** Encrypts or decrypts the bytes of a segment in pieces. */
export interface SegmentCipher {
  readonly update: (bytes: Uint8Array) => Buffer;
  readonly final: () => Buffer;
}

const algorithm = 'aes-128-cbc';

/** The cipher that encrypts a segment, counted from 0. */
export function encryptorOf(encryption: SegmentEncryption, index: number): SegmentCipher {
  const cipher = createCipheriv(algorithm, keyOf(encryption, index).bytes, ivOf(encryption, index));
  return { update: (bytes) => cipher.update(bytes), final: () => cipher.final() };
}

/** The cipher that decrypts a segment, counted from 0. */
export function decryptorOf(encryption: SegmentEncryption, index: number): SegmentCipher {
  const cipher = createDecipheriv(algorithm, keyOf(encryption, index).bytes, ivOf(encryption, index));
  return { update: (bytes) => cipher.update(bytes), final: () => cipher.final() };
}

/** Without a vector, it is the media sequence number, which begins with 0, in 16 bytes. */
function ivOf({ iv }: SegmentEncryption, index: number): Buffer {
  if (iv !== null) return iv;
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(index, 12);
  return bytes;
}

/**
 * The keys of a rendition of so many segments. `given` is the key of the request, or that at its address; null for
 * random ones, which `randomKey` makes.
 */
export function createKeys(
  { stem, encryption }: { readonly stem: string; readonly encryption: EncryptionDecision },
  segmentCount: number,
  { given, randomKey }: { readonly given: Buffer | null; readonly randomKey: () => Buffer },
): SegmentEncryption {
  const { periodSegments, keyUrl, urlPrefix, iv } = encryption;
  const count = periodSegments === null ? 1 : Math.ceil(segmentCount / periodSegments);
  const keys = Array.from({ length: count }, (_, index): SegmentKey => {
    const bytes = given ?? randomKey();
    if (keyUrl !== null) return { bytes, uri: keyUrl, name: null };
    const name = periodSegments === null ? `${stem}.key` : `${stem}-${index + 1}.key`;
    return { bytes, uri: withPrefix(urlPrefix, encodeURIComponent(name)), name };
  });
  return { keys, periodSegments, iv: iv === null ? null : Buffer.from(iv, 'hex') };
}

/** A prefix with a query is that of a program, which gets the name as its last parameter. */
function withPrefix(prefix: string | null, name: string): string {
  if (prefix === null) return name;
  return prefix.includes('?') || prefix.endsWith('/') ? `${prefix}${name}` : `${prefix}/${name}`;
}
