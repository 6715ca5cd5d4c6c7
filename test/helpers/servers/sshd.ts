import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import { findPrograms, freePort, type MissingProgram, runProgram, startProgram } from './program.js';

/** OpenSSH's own server on a free loopback port, with keys and configuration of its own. */
export interface Sshd {
  readonly port: number;
  /** Where files may lie: of the user that logs in, and the folder that a login begins in. */
  readonly folder: string;
  readonly user: string;
  /** Null where only the key lets in: passwords need a user of their own, and that needs root. */
  readonly password: string | null;
  /** The private key that lets in, and its file. */
  readonly key: string;
  readonly keyPath: string;
  /** The server's own, as a line of `known_hosts` has it: kind and key. */
  readonly hostKey: string;
  /** A folder on a volume of 1 MiB, which only the server sees; null without root. */
  readonly small: string | null;
  /** Its name with its version. */
  readonly version: string;
  /** What the server has said so far. */
  readonly log: () => string;
  /** Gives a file or folder to the user that logs in. */
  own(path: string): void;
  /** The server with all its sessions stops and goes on. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/**
 * Starts one; or says what is missing. As root, a user of the system is made for it and taken away with it: files then have permissions,
 * and passwords are proved. Without root, the user is the one who runs this, and the key alone lets in.
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
  // Needed by a server that is started by root, and otherwise made by the system's own.
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
    // A mount of its own is gone with the server, and nobody else has it.
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

/** Part of every system that has mounts of its own for a process. */
const unshare = { path: 'unshare', env: {}, root: '/' };

/** Makes a user of the system who has nothing but a home folder and a password. Gone when the process ends, at the latest. */
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
  if (status !== 0) throw new Error(`no user could be made: ${stderr}`);
  const remove = () => {
    process.removeListener('exit', remove);
    // Also where a session of theirs is just about to end.
    spawnSync('userdel', ['--force', name]);
  };
  process.once('exit', remove);
  const idOf = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { name, uid: idOf('-u'), gid: idOf('-g'), remove };
}

/** Takes away the users of runs that were killed. */
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
