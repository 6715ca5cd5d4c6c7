import { createHmac, timingSafeEqual } from 'node:crypto';

/** A key of one host, from a line of a known_hosts file (OpenSSH format). */
interface KnownKey {
  /** Path of the file, and line number from 1. */
  readonly path: string;
  readonly line: number;
  /** Key type, such as `ssh-ed25519`. */
  readonly kind: string;
  /** The key in base64, as the server presents it. */
  readonly key: string;
  /** Whether the key is revoked and must be rejected. */
  readonly isRevoked: boolean;
}

/** The name of a host in known_hosts files: `host` for port 22, else `[host]:port`. */
export function knownHostName(host: string, port: number): string {
  return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
}

/**
 * The keys of a host in a known_hosts file. Names may be plain, patterns or hashed. Invalid lines and `@cert-authority`
 * lines are skipped.
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

/** The known_hosts line for a key. */
export function knownHostLine(name: string, key: Buffer): string {
  return `${name} ${keyKind(key)} ${key.toString('base64')}\n`;
}

/** The key type, as encoded in the key. */
export function keyKind(key: Buffer): string {
  const length = key.byteLength >= 4 ? key.readUInt32BE(0) : 0;
  return key.toString('latin1', 4, 4 + length);
}

function fitsName(names: string, name: string): boolean {
  if (names.startsWith('|1|')) return fitsHash(names, name);
  const patterns = names.toLowerCase().split(',');
  const fits = (pattern: string) => wildcard(pattern).test(name);
  // A negated pattern that matches excludes the host, even if another pattern matches.
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
