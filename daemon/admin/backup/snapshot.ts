import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { replaceFile } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { readDocument } from '../../store/data-folder/document.js';
import type { CopiedFile } from './copy-tree.js';

/*
 * A backup is a folder `N-TIME` in the folder of backups: `data` is the copy of the data folder, and `manifest.json`
 * lists its files. It gets its name when it is complete. The one with the greatest number is the latest.
 */

/** The content of `manifest.json`. */
export interface BackupManifest {
  readonly version: 1;
  readonly createdAt: string;
  readonly dataFolder: string;
  /** Whether the daemon keeps its records in a database, of which the backup has nothing. */
  readonly usesDatabase: boolean;
  readonly files: readonly CopiedFile[];
}

/** A complete backup. */
interface Snapshot {
  readonly folder: string;
  /** Its number. */
  readonly number: number;
  readonly manifest: BackupManifest;
}

/** The name of a backup that is being written. */
export const unfinishedName = '.unfinished';

/** Where the copy of the data folder is. */
export function dataOf(snapshotFolder: string): string {
  return join(snapshotFolder, 'data');
}

/** Writes the manifest, the last file of a backup. */
export function writeManifest(snapshotFolder: string, manifest: BackupManifest): Promise<void> {
  return replaceFile(manifestOf(snapshotFolder), (file) => file.write(JSON.stringify(manifest)));
}

/** The latest backup in a folder, or the backup that the folder itself is; null if there is none. */
export async function latestSnapshot(folder: string): Promise<Snapshot | null> {
  const own = await readDocument(manifestOf(folder), readManifest);
  if (own.kind === 'whole') return { folder, number: 0, manifest: own.data };
  for (const { name, number } of await snapshotsIn(folder)) {
    const path = join(folder, name);
    const found = await readDocument(manifestOf(path), readManifest);
    if (found.kind === 'whole') return { folder: path, number, manifest: found.data };
    if (found.kind === 'damaged') throw damagedError(`${manifestOf(path)}: ${found.reason}`);
  }
  return null;
}

/** Removes the backups that are older than a complete one. */
export async function removeOlderSnapshots(folder: string, than: number): Promise<void> {
  for (const { name, number } of await snapshotsIn(folder))
    if (number < than) await rm(join(folder, name), { recursive: true, force: true });
}

/** The error of a backup that is not as it was written. */
export function damagedError(what: string): VencError {
  return new VencError('UsageError', `The backup is damaged: ${what}.`, {
    hint: 'Restore another backup, or a copy of this one.',
  });
}

/** The backups in a folder, the latest first. */
async function snapshotsIn(folder: string): Promise<readonly { name: string; number: number }[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names
    .flatMap((name) => {
      const [, digits] = /^([1-9]\d{0,14})-\d{4}-/.exec(name) ?? [];
      return digits === undefined ? [] : [{ name, number: Number(digits) }];
    })
    .sort((one, other) => other.number - one.number);
}

function manifestOf(snapshotFolder: string): string {
  return join(snapshotFolder, 'manifest.json');
}

function readManifest(value: unknown): BackupManifest | null {
  if (!isObject(value) || !Array.isArray(value.files) || !value.files.every(isCopiedFile)) return null;
  const { version, createdAt, dataFolder, usesDatabase, files } = value;
  if (version !== 1 || typeof createdAt !== 'string' || typeof dataFolder !== 'string') return null;
  return { version, createdAt, dataFolder, usesDatabase: usesDatabase === true, files };
}

function isCopiedFile(value: unknown): value is CopiedFile {
  if (!isObject(value)) return false;
  const { path, sizeBytes, modifiedAt, inode } = value;
  return (
    typeof path === 'string' &&
    typeof sizeBytes === 'number' &&
    typeof modifiedAt === 'string' &&
    typeof inode === 'string'
  );
}
