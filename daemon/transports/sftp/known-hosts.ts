import { createHmac, timingSafeEqual } from 'node:crypto';

/** A line of a file in OpenSSH's form `known_hosts`, as far as it says something of one host. */
export interface KnownKey {
  /** Path of the file, and the number of the line in it, from 1. */
  readonly path: string;
  readonly line: number;
  /** Kind of key, such as `ssh-ed25519`. */
  readonly kind: string;
  /** The key in base64, as the server presents it. */
  readonly key: string;
  /** Whether the key must not be accepted from anybody. */
  readonly isRevoked: boolean;
}

/** A host as such files name it: alone on the usual port, else `[host]:port`. */
export function knownHostName(host: string, port: number): string {
  return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
}

/**
 * What a file says of a host: names in the open with patterns, or hashed. Lines of certificate authorities say nothing of keys, and lines
 * that cannot be read say nothing at all.
 */
export function knownKeysIn(text: string, path: string, name: string): readonly KnownKey[] {
  return text.split('\n').flatMap((content, index) => {
    const fields = content.trim().split(/[ \t]+/);
    const marker = fields[0]?.startsWith('@') === true ? fields.shift() : null;
    const [names = '', kind, key] = fields;
    if (names.startsWith('#') || kind === undefined || key === undefined) return [];
    if (marker !== null && marker !== '@revoked') return [];
    if (!fitsName(names, name)) return [];
    return [{ path, line: index + 1, kind, key, isRevoked: marker === '@revoked' }];
  });
}

/** The line that makes a key known. */
export function knownHostLine(name: string, key: Buffer): string {
  return `${name} ${keyKind(key)} ${key.toString('base64')}\n`;
}

/** The kind that a key says it is of. */
export function keyKind(key: Buffer): string {
  const length = key.byteLength >= 4 ? key.readUInt32BE(0) : 0;
  return key.toString('latin1', 4, 4 + length);
}

function fitsName(names: string, name: string): boolean {
  if (names.startsWith('|1|')) return fitsHash(names, name);
  const patterns = names.toLowerCase().split(',');
  const fits = (pattern: string) => wildcard(pattern).test(name);
  // One that is excluded is excluded whatever else the line says.
  if (patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1)))) return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && fits(pattern));
}

function fitsHash(hashed: string, name: string): boolean {
  const [salt = '', hash = ''] = hashed.slice('|1|'.length).split('|');
  const ownHash = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
  const expectedHash = Buffer.from(hash, 'base64');
  return ownHash.byteLength === expectedHash.byteLength && timingSafeEqual(ownHash, expectedHash);
}

function wildcard(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`);
}
