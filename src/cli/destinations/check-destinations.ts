import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VencError } from '../../shared/errors.js';
import { isUrl } from '../../shared/text/url-text.js';

/** What a person names to have other places: a file each with `-o`, or the folder of all. */
type Alternative = 'another file with -o' | 'another folder';

/** Refuses files that are there already. Rejects with `UsageError`. */
export async function requireAbsent(
  paths: readonly string[],
  alternative: Alternative = 'another file with -o',
): Promise<void> {
  for (const path of paths.filter((one) => !isUrl(one))) {
    if (!(await pathExists(path))) continue;
    throw new VencError('UsageError', `${path} already exists.`, {
      hint: `overwrite it with --force, or name ${alternative}`,
    });
  }
}

/** Refuses an output that is the input under another name, a link to it for one. Rejects with `UsageError`. */
export async function rejectInputAsOutput(input: unknown, paths: readonly string[]): Promise<void> {
  if (typeof input !== 'string' || !input.startsWith('file:')) return;
  const source = await fileId(fileURLToPath(input));
  for (const path of source === null ? [] : paths.filter((one) => !isUrl(one))) {
    if ((await fileId(path)) !== source) continue;
    throw new VencError('UsageError', `${path} is the input itself.`, { hint: 'name another file with -o' });
  }
}

/** What tells a file from every other one, whatever it is called; null if there is none. */
function fileId(path: string): Promise<string | null> {
  return stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => null,
  );
}

/**
 * Refuses files that could not be written, before an hour has gone into them: missing folders are made at the end, so the
 * nearest one that is there must be a folder that takes files. What is no file is never replaced by one, --force or not. Rejects
 * with `UsageError`.
 */
export async function requireWritable(
  paths: readonly string[],
  alternative: Alternative = 'another file with -o',
): Promise<void> {
  for (const path of paths.filter((one) => !isUrl(one))) {
    await rejectNonRegularFile(path);
    await requireWritableParent(path, dirname(resolve(path)), alternative);
  }
}

/** Refuses a folder that files could not be written to. It need not be there. Rejects with `UsageError`. */
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
  const isWritable = await access(folder, constants.W_OK | constants.X_OK).then(yes, no);
  if (isFolder && isWritable) return;
  const named = folder === resolve(path) ? 'it' : folder;
  const reason = isFolder ? `you have no permission to write to ${named}` : `${named} is no folder`;
  throw new VencError('UsageError', `${path} cannot be written: ${reason}.`, { hint: `name ${alternative}` });
}

/** A folder, and a device or a pipe, which a new file would do away with. */
async function rejectNonRegularFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.isFile()) return;
  const what = found.isDirectory() ? 'it is a folder' : 'it is no regular file';
  const hint = found.isDirectory()
    ? `name a file in it: -o ${join(path, 'film.mp4')}`
    : 'name a file with -o';
  throw new VencError('UsageError', `${path} cannot be written: ${what}.`, { hint });
}

/** The folders of files that do not exist. */
export async function missingFolders(paths: readonly string[]): Promise<readonly string[]> {
  const folders = [...new Set(paths.filter((one) => !isUrl(one)).map((path) => dirname(path)))];
  const existence = await Promise.all(folders.map(pathExists));
  return folders.filter((_, index) => existence[index] === false);
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
