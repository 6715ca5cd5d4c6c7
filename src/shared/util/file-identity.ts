import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/**
 * Identifies a file, whatever its name: by its device and inode, and by the time of its creation if the file system has
 * that. The inode of a deleted file may be used again, for a file of somebody else.
 */
export function identityOf({ dev, ino, birthtimeNs, ctimeNs }: BigIntStats): string {
  // Where there is no such time, some versions of Node.js return another one, which changes.
  const hasBirth = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return `${dev}:${ino}${hasBirth ? `@${birthtimeNs}` : ''}`;
}

/** The identity of the file that a path names, also through links; null if there is none. */
export function fileIdentity(path: string): Promise<string | null> {
  return stat(path, { bigint: true }).then(identityOf, () => null);
}

/** Whether two identities are of one file. */
export function isSameFile(a: string, b: string): boolean {
  const [[file, birth], [otherFile, otherBirth]] = [a.split('@'), b.split('@')];
  return file === otherFile && (birth === undefined || otherBirth === undefined || birth === otherBirth);
}

/**
 * Identifies the place of a file: device and inode of the file or, while it does not exist, of its folder, and the
 * name.
 */
export async function placeIdentity(path: string): Promise<string> {
  const [file] = (await fileIdentity(path))?.split('@') ?? [];
  const folder = dirname(path);
  return file === undefined && folder !== path
    ? `${await placeIdentity(folder)}/${basename(path)}`
    : (file ?? path);
}
