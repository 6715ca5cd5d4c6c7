import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import { testCertificate, testKey } from './test-certificate.js';

/** A real FTP server on free loopback ports, with a user of its own. */
export interface FtpServer {
  /** Its name with its version. */
  readonly version: string;
  /** Port that takes connections in the clear, and those that are encrypted after a word. */
  readonly port: number;
  /** Port that is encrypted from the first byte. */
  readonly implicitPort: number;
  /** The folder that the user lands in, on the disk. */
  readonly folder: string;
  /** The folder that a user sees as root, where it is not the root of the machine. */
  readonly root: string;
  /** Whether there is a folder `full` on a volume without room, and what permissions forbid is forbidden. */
  readonly isRoot: boolean;
  /** What the server has written down so far. */
  readonly log: () => string;
  /** All its processes. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** Who may log in to every FTP server of the tests. No blanks in the name: vsftpd refuses those unseen. */
export const ftpUser = {
  name: 'film-maker@home',
  password: 'open:sesame & 100%/2',
  uid: 65_534,
  gid: 65_534,
} as const;

/** The credentials of that user as a URL has them. */
export const ftpLogin = `${encodeURIComponent(ftpUser.name)}:${encodeURIComponent(ftpUser.password)}`;

/** Folders and files that an FTP server is started over. */
export interface FtpServerFolder {
  readonly base: string;
  readonly folder: string;
  readonly certificatePath: string;
  readonly isRoot: boolean;
}

/** Lays them out: a file and folders that the user may not use, and a place for a volume without room. */
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
 * A program as seen by `sh` in a mount namespace of its own: what it mounts there is gone with it and is not seen by anybody else.
 * There the folder `full` is a volume of a few pages, all of them taken.
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
