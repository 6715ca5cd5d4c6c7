import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import { testCertificate, testKey } from './test-certificate.js';

/** A real FTP server on free loopback ports, with its own user. */
export interface FtpServer {
  /** Name and version of the server. */
  readonly version: string;
  /** Port for unencrypted connections and explicit TLS. */
  readonly port: number;
  /** Port for implicit TLS. */
  readonly implicitPort: number;
  /** The login folder of the user, as a path on the disk. */
  readonly folder: string;
  /** The folder that is the root for the user, if that is not the root of the machine. */
  readonly root: string;
  /** Whether the folder `full` is a full volume and file permissions are enforced. */
  readonly isRoot: boolean;
  /** The log of the server so far. */
  readonly log: () => string;
  /** Sends a signal to all its processes. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** The user of every FTP server of the tests. The name has no blanks, because vsftpd rejects those without a log entry. */
export const ftpUser = {
  name: 'film-maker@home',
  password: 'open:sesame & 100%/2',
  uid: 65_534,
  gid: 65_534,
} as const;

/** The credentials of that user, encoded for a URL. */
export const ftpLogin = `${encodeURIComponent(ftpUser.name)}:${encodeURIComponent(ftpUser.password)}`;

/** The folders and files of an FTP server. */
export interface FtpServerFolder {
  readonly base: string;
  readonly folder: string;
  readonly certificatePath: string;
  readonly isRoot: boolean;
}

/** Creates them: a file and folders that the user may not access, and a mount point for a full volume. */
export function createFtpServerFolder(): FtpServerFolder {
  const isRoot = process.getuid?.() === 0;
  const base = tempFolder();
  chmodSync(base, 0o711);
  const folder = join(base, 'home');
  for (const path of [folder, join(folder, 'in put'), join(folder, 'out'), join(folder, 'full')]) own(path);
  mkdirSync(join(folder, 'closed'));
  mkdirSync(join(folder, 'sealed'));
  writeFileSync(join(folder, 'sealed', 'film.mp4'), 'sealed');
  writeFileSync(join(folder, 'closed.mp4'), 'closed');
  chmodSync(join(folder, 'closed.mp4'), isRoot ? 0o600 : 0);
  chmodSync(join(folder, 'closed'), 0o555);
  chmodSync(join(folder, 'sealed'), isRoot ? 0o700 : 0);
  const certificatePath = join(base, 'certificate.pem');
  writeFileSync(certificatePath, `${testKey}${testCertificate}`, { mode: 0o600 });
  return { base, folder, certificatePath, isRoot };
}

function own(path: string): void {
  if (!existsSync(path)) mkdirSync(path);
  if (process.getuid?.() === 0) chownSync(path, ftpUser.uid, ftpUser.gid);
}

/**
 * Arguments that start a program from `sh` in its own mount namespace: mounts are private to it and disappear with it. There, the folder
 * `full` is a full volume of a few pages.
 */
export function inMountNamespace({ folder }: FtpServerFolder, lines: readonly string[]): readonly string[] {
  const full = join(folder, 'full');
  const script = [
    'set -e',
    `mount -t tmpfs -o size=64k,mode=777 none '${full}'`,
    `head -c 65536 /dev/zero > '${full}/stuffing' || true`,
    ...lines,
  ].join('\n');
  return ['--mount', 'sh', '-c', script];
}
