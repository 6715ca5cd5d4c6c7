import { constants } from 'node:fs';
import { access, lstat, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VencError } from '../errors.js';
import { isUrl } from '../text/url-text.js';
import { fileIdentity } from './disk.js';
import { systemCode } from './system-code.js';

/** What to name instead in hints: a file with `-o`, or a folder; `another output` for a program. */
export type Alternative = 'another file with -o' | 'another folder' | 'another output';

/** Rejects with `UsageError` if a file already exists, or a link that leads nowhere. */
export async function requireAbsent(
  paths: readonly string[],
  alternative: Alternative = 'another file with -o',
): Promise<void> {
  for (const path of paths.filter((one) => !isUrl(one))) {
    if (!(await lstat(path).then(yes, no))) continue;
    const force = alternative === 'another output' ? 'set overwrite: true' : 'overwrite it with --force';
    throw new VencError('UsageError', `${path} already exists.`, {
      hint: `${force}, or name ${alternative}`,
    });
  }
}

/** Rejects with `UsageError` if an output is the input itself, also under another name such as a link. */
export async function rejectInputAsOutput(
  input: unknown,
  paths: readonly string[],
  alternative: Alternative = 'another file with -o',
): Promise<void> {
  if (typeof input !== 'string' || !input.startsWith('file:')) return;
  const source = await fileIdentity(fileURLToPath(input));
  for (const path of source === null ? [] : paths.filter((one) => !isUrl(one))) {
    if ((await fileIdentity(path)) !== source) continue;
    throw new VencError('UsageError', `${path} is the input itself.`, { hint: `name ${alternative}` });
  }
}

/** The folders that were found to be writable, or to be missing below a writable one. */
export type WritableFolders = Set<string>;

/**
 * Rejects with `UsageError` if a file could not be written, before a long encode. Missing folders are created at the
 * end, so the nearest existing parent must be a writable folder. Only regular files are overwritten, even with --force.
 * With `known`, each folder of many files is tried once.
 */
export async function requireWritable(
  paths: readonly string[],
  alternative: Alternative = 'another file with -o',
  known: WritableFolders = new Set(),
): Promise<void> {
  for (const path of paths.filter((one) => !isUrl(one))) {
    await rejectNonRegularFile(path, alternative);
    const folder = dirname(resolve(path));
    if (known.has(folder)) continue;
    await requireWritableParent(path, folder, alternative);
    known.add(folder);
  }
}

/** Rejects with `UsageError` if files cannot be written to a folder, which need not exist. */
export function requireWritableFolder(folder: string): Promise<void> {
  return requireWritableParent(folder, resolve(folder), 'another folder');
}

async function requireWritableParent(
  path: string,
  parentFolder: string,
  alternative: Alternative,
): Promise<void> {
  const folder = await nearestExistingFolder(parentFolder);
  const isFolder = await stat(folder).then((found) => found.isDirectory());
  const named = folder === resolve(path) ? 'it' : folder;
  const reason = isFolder ? await whyNotWritable(folder, named) : `${named} is not a folder`;
  if (reason === null) return;
  throw new VencError('UsageError', `${path} cannot be written: ${reason}.`, { hint: `name ${alternative}` });
}

/** Why no file can be created in a folder; null if one can. */
async function whyNotWritable(folder: string, named: string): Promise<string | null> {
  const error = await access(folder, constants.W_OK | constants.X_OK)
    // Root passes every check of permissions, also in folders of the kernel such as /proc, where nothing can be
    // created.
    .then(() => (process.getuid?.() === 0 ? tryToCreate(folder) : null))
    .then(
      () => null,
      (failure: unknown) => failure,
    );
  if (error === null) return null;
  const code = systemCode(error);
  if (code === 'EACCES' || code === 'EPERM') return `you have no permission to write to ${named}`;
  if (code === 'EROFS') return `${named} is on a read-only disk`;
  return `nothing can be created in ${named}`;
}

/** Creates a folder and removes it. */
async function tryToCreate(folder: string): Promise<void> {
  await rmdir(await mkdtemp(join(folder, '.venc-')));
}

/** Rejects folders, and also devices and pipes, which a new file would replace. */
async function rejectNonRegularFile(path: string, alternative: Alternative): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.isFile()) return;
  const what = found.isDirectory() ? 'it is a folder' : 'it is not a regular file';
  const fileHint = found.isDirectory()
    ? `name a file in it: -o ${join(path, 'film.mp4')}`
    : 'name a file with -o';
  const hint = alternative === 'another file with -o' ? fileHint : `name ${alternative}`;
  throw new VencError('UsageError', `${path} cannot be written: ${what}.`, { hint });
}

/** The folders of files that do not exist. */
export async function missingFolders(paths: readonly string[]): Promise<readonly string[]> {
  const folders = [...new Set(paths.filter((one) => !isUrl(one)).map((path) => dirname(path)))];
  const existence = await Promise.all(folders.map(pathExists));
  return folders.filter((_, index) => existence[index] === false);
}

/** The folders that do not exist and that files need, inner ones first, with absolute paths. URLs need none. */
export async function foldersToCreate(paths: readonly string[]): Promise<readonly string[]> {
  const folders = new Set<string>();
  for (const path of paths.filter((one) => !isUrl(one)))
    for (let folder = dirname(resolve(path)); !folders.has(folder); folder = dirname(folder)) {
      if (await pathExists(folder)) break;
      folders.add(folder);
    }
  return [...folders].toSorted((one, other) => other.length - one.length);
}

/** Removes those of the folders that exist and are empty, in the given order. Never rejects. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => {});
}

async function nearestExistingFolder(folder: string): Promise<string> {
  const parent = dirname(folder);
  return parent === folder || (await pathExists(folder)) ? folder : nearestExistingFolder(parent);
}

function pathExists(path: string): Promise<boolean> {
  return access(path).then(yes, no);
}

const yes = (): boolean => true;
const no = (): boolean => false;
