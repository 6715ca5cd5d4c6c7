import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import { findPrograms, freePort, type MissingProgram, runProgram, startProgram } from './program.js';

/** OpenSSH's server on a free loopback port, with its own keys and configuration. */
export interface Sshd {
  readonly port: number;
  /** The login folder, which belongs to the user. */
  readonly folder: string;
  readonly user: string;
  /** Null if only the key is accepted. Passwords need a separate user, and creating one needs root. */
  readonly password: string | null;
  /** The accepted private key, and its file. */
  readonly key: string;
  readonly keyPath: string;
  /** The host key as in a line of `known_hosts`: type and key. */
  readonly hostKey: string;
  /** A folder on a volume of 1 MiB, which only the server sees; null without root. */
  readonly small: string | null;
  /** Name and version of the server. */
  readonly version: string;
  /** Its output so far. */
  readonly log: () => string;
  /** Makes the user the owner of a file or folder. */
  own(path: string): void;
  /** Sends a signal to the server and all its sessions. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/**
 * Starts sshd, or returns what is missing. As root it creates a system user and removes it on close, so that file permissions and passwords
 * are tested. Without root the user is the current one, and only the key is accepted.
 */
export async function startSshd(lines: readonly string[] = []): Promise<Sshd | MissingProgram> {
  const found = findPrograms('sshd', 'ssh-keygen', 'openssl');
  if ('missing' in found) return found;
  const { sshd, 'ssh-keygen': keygen, openssl } = found;
  const base = tempFolder();
  chmodSync(base, 0o711);
  const folder = join(base, 'home');
  mkdirSync(folder);
  const keyPath = join(base, 'key');
  const hostKeyPath = join(base, 'host-key');
  for (const path of [keyPath, hostKeyPath])
    await runProgram(keygen, ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
  writeFileSync(join(base, 'authorized'), readFileSync(`${keyPath}.pub`), { mode: 0o644 });

  const isRoot = process.getuid?.() === 0;
  const password = isRoot ? 'hunter2secret' : null;
  const hashed = password === null ? '' : (await runProgram(openssl, ['passwd', '-6', password])).trim();
  const made = password === null ? null : makeUser(folder, hashed);
  const own = (path: string) => {
    if (made !== null) chownSync(path, made.uid, made.gid);
  };
  own(folder);
  // sshd needs this folder when root starts it. The system's own sshd creates it otherwise.
  if (isRoot && !existsSync('/run/sshd')) mkdirSync('/run/sshd', { mode: 0o755 });

  const port = await freePort();
  const config = join(base, 'config');
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKeyPath}`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    `AuthorizedKeysFile ${join(base, 'authorized')}`,
    `PasswordAuthentication ${password === null ? 'no' : 'yes'}`,
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100',
    'UseDNS no',
    'Subsystem sftp internal-sftp',
    ...lines,
  ];
  writeFileSync(config, `${settings.join('\n')}\n`);
  try {
    const args = ['-D', '-e', '-f', config];
    const small = isRoot ? join(folder, 'small') : null;
    if (small !== null) mkdirSync(small);
    // A private mount disappears with the server and is not visible to others.
    const line = `mount -t tmpfs -o size=1m,mode=777 tmpfs "${small}" && exec "$0" "$@"`;
    const running =
      small === null
        ? await startProgram(sshd, { args, ready: port })
        : await startProgram(unshare, { args: ['-m', 'sh', '-c', line, sshd.path, ...args], ready: port });
    return {
      port,
      folder,
      user: made?.name ?? userInfo().username,
      password,
      key: readFileSync(keyPath, 'utf8'),
      keyPath,
      hostKey: readFileSync(`${hostKeyPath}.pub`, 'utf8').trim(),
      small,
      version: versionOf(sshd.path),
      log: running.log,
      own,
      signal: running.signal,
      async close() {
        await running.end();
        made?.remove();
      },
    };
  } catch (error) {
    made?.remove();
    throw error;
  }
}

/** Starts a program with private mounts. Part of every Linux system. */
const unshare = { path: 'unshare', env: {}, root: '/' };

/** Creates a system user with only a home folder and a password. The user is removed at the latest when the process ends. */
function makeUser(home: string, hashed: string) {
  removeLeftUsers();
  const name = `venc-${randomBytes(4).toString('hex')}`;
  const comment = `venc test ${process.pid}`;
  const { status, stderr } = spawnSync(
    'useradd',
    [
      '--no-create-home',
      '--comment',
      comment,
      '--home-dir',
      home,
      '--shell',
      '/bin/sh',
      '--password',
      hashed,
      name,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the user could not be created: ${stderr}`);
  const remove = () => {
    process.removeListener('exit', remove);
    // `--force` also removes a user whose session is just about to end.
    spawnSync('userdel', ['--force', name]);
  };
  process.once('exit', remove);
  const idOf = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { name, uid: idOf('-u'), gid: idOf('-g'), remove };
}

/** Removes the users of killed test runs. */
function removeLeftUsers(): void {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [, name, pid] = /^(venc-[0-9a-f]{8}):[^:]*:\d+:\d+:venc test (\d+):/.exec(line) ?? [];
    if (name !== undefined && !existsSync(`/proc/${pid}`)) spawnSync('userdel', ['--force', name]);
  }
}

function versionOf(path: string): string {
  const { stderr } = spawnSync(path, ['-V'], { encoding: 'utf8' });
  return /OpenSSH_[\w.]+/.exec(stderr)?.[0].replace('_', ' ') ?? 'OpenSSH';
}
