import { createHash } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { homeFolder } from '../../../src/shared/util/home-folder.js';
import { KeyedMutex } from '../../../src/shared/util/semaphore.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { keyKind, knownHostLine, knownKeysIn } from './known-hosts.js';

/** Where keys of hosts are looked for and kept. */
export interface HostKeyPaths {
  /** The file that keys are remembered in; made with the first one. */
  readonly ownPath: string;
  /** Files that are only read; those of OpenSSH where they are not given. */
  readonly otherPaths?: readonly string[];
}

/** Knows hosts by their keys. */
export interface HostKeys {
  /** Kinds of the keys that a host is known by: it has to be asked for one of them. */
  knownKeyTypes(name: string): Promise<readonly string[]>;
  /**
   * Judges the key that a host presents: null where it is the known one, or the first one, which is remembered before this resolves. Else a
   * sentence that begins with the host.
   */
  verify(name: string, key: Buffer): Promise<string | null>;
}

/** One judgement after the other for each file, so that two first connections at once cannot remember two keys. */
const judging = new KeyedMutex<string>();

/** Opens the memory of hosts. */
export function createHostKeys({ ownPath, otherPaths = opensshFiles() }: HostKeyPaths): HostKeys {
  const findKnownKeys = async (name: string) => {
    const keys = [...knownKeysIn(await readOwnFile(ownPath), ownPath, name)];
    // Those of others may be closed to us, or be no files.
    for (const path of otherPaths)
      keys.push(...knownKeysIn(await readFile(path, 'utf8').catch(() => ''), path, name));
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
      return `${name} presents another key (${fingerprint(key)}) than the known one (${knownFingerprint}): somebody may be listening in. Where the server was set up anew, remove ${lines}`;
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
      return judging.runExclusive(ownPath, () => verify(name, key));
    },
  };
}

function opensshFiles(): readonly string[] {
  return [join(homeFolder(), '.ssh', 'known_hosts'), '/etc/ssh/ssh_known_hosts'];
}

/** Without its own memory it would accept anything: a file that is there has to be readable. */
async function readOwnFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  });
}

/** One line in one write at the end: whole for every reader, and nothing of another process is lost, as a new file would. */
async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    // A line that was cut off, or edited without an end, must not swallow this one.
    await handle.write(size === 0 || last.toString() === '\n' ? line : `\n${line}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
