import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { textFileOptions } from '../../../src/shared/util/disk.js';
import { homeFolder } from '../../../src/shared/util/environment.js';
import { KeyedMutex } from '../../../src/shared/util/semaphore.js';
import { systemCode } from '../../../src/shared/util/system-code.js';

/** Paths of the known_hosts files. */
export interface HostKeyPaths {
  /** The file that new keys are added to; created with the first key. */
  readonly ownPath: string;
  /** Files that are only read; those of OpenSSH by default. */
  readonly otherPaths?: readonly string[];
}

/** Verifies the keys of hosts. */
export interface HostKeys {
  /** Types of the known keys of a host. The connection must request one of these. */
  knownKeyTypes(name: string): Promise<readonly string[]>;
  /**
   * Verifies the key of a host. Resolves to null if the key is known, or if it is the first key of the host, which is
   * stored before this resolves. Otherwise resolves to an error message that begins with the host.
   */
  verify(name: string, key: Buffer): Promise<string | null>;
}

/** Serializes verifications per file, so that two concurrent first connections cannot store two keys. */
const verifying = new KeyedMutex<string>();

/** Creates the verifier of host keys. */
export function createHostKeys({ ownPath, otherPaths = opensshFiles() }: HostKeyPaths): HostKeys {
  const findKnownKeys = async (name: string) => {
    const keys = [...knownKeysIn(await readOwnFile(ownPath), ownPath, name)];
    // The other files may be missing or unreadable.
    for (const path of otherPaths)
      keys.push(...knownKeysIn(await readFile(path, textFileOptions).catch(() => ''), path, name));
    return keys;
  };
  const verify = async (name: string, key: Buffer): Promise<string | null> => {
    const text = key.toString('base64');
    const keys = await findKnownKeys(name);
    const revoked = keys.find((entry) => entry.isRevoked && entry.key === text);
    if (revoked !== undefined)
      return `${name} presents a key that is revoked in line ${revoked.line} of ${revoked.path}`;
    const validKeys = keys.filter((entry) => !entry.isRevoked);
    if (validKeys.some((entry) => entry.key === text)) return null;
    const conflicting = validKeys.find(({ kind }) => kind === keyKind(key)) ?? validKeys[0];
    if (conflicting !== undefined) {
      const knownFingerprint = fingerprint(Buffer.from(conflicting.key, 'base64'));
      const lines = validKeys.map(({ line, path }) => `line ${line} of ${path}`).join(' and ');
      return `${name} presents the key ${fingerprint(key)}, but the known key is ${knownFingerprint}: the connection may be intercepted. If the server has a new key, remove ${lines}`;
    }
    await append(ownPath, knownHostLine(name, key));
    return null;
  };
  return {
    async knownKeyTypes(name) {
      return [
        ...new Set((await findKnownKeys(name)).filter(({ isRevoked }) => !isRevoked).map(({ kind }) => kind)),
      ];
    },
    verify(name, key) {
      return verifying.runExclusive(ownPath, () => verify(name, key));
    },
  };
}

function opensshFiles(): readonly string[] {
  return [join(homeFolder(), '.ssh', 'known_hosts'), '/etc/ssh/ssh_known_hosts'];
}

/** Throws if the file exists but cannot be read: without the known keys, any key would be accepted. */
async function readOwnFile(path: string): Promise<string> {
  return readFile(path, textFileOptions).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  });
}

/**
 * Appends a line with one write: readers see it whole, and lines that other processes add are kept, unlike with a
 * replaced file.
 */
async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    // If the last line has no line break, start a new line.
    await handle.write(size === 0 || last.toString() === '\n' ? line : `\n${line}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

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
function knownHostLine(name: string, key: Buffer): string {
  return `${name} ${keyKind(key)} ${key.toString('base64')}\n`;
}

/** The key type, as encoded in the key. */
function keyKind(key: Buffer): string {
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
