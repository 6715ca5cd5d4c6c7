import { constants, readdirSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { VencError } from '../../shared/errors.js';
import { diskReason, systemCode } from '../../shared/util/system-code.js';

const notRegular = 'it is not a regular file';

/** A local file to upload. */
export interface FileToUpload {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Reads a text file. Rejects with `UsageError` if it cannot be read. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** The size of a readable regular file. Rejects with `UsageError` for everything else. */
export async function readableFileSize(path: string): Promise<number> {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isFile()) return found.size;
    throw Object.assign(new Error(notRegular), found.isDirectory() ? { code: 'EISDIR' } : {});
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** Rejects with `UsageError` if the value of an option is not an existing folder. */
export async function requireFolder(path: string, option: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new VencError('UsageError', `${option} needs an existing folder; "${path}" is not one.`);
}

/** Rejects with `UsageError` if the value of an option is not an executable file. */
export async function requireProgram(path: string, option: string): Promise<void> {
  const isProgram = await access(path, constants.X_OK).then(
    async () => (await stat(path)).isFile(),
    () => false,
  );
  if (!isProgram) throw new VencError('UsageError', `${option} needs a program; "${path}" is not one.`);
}

/** Creates a folder if it is missing. Rejects with `UsageError` if that fails. */
export async function provideFolder(path: string): Promise<void> {
  const { makeFolder } = await import('../../shared/util/disk.js');
  await makeFolder(path).catch((error: unknown) => {
    throw new VencError(
      'UsageError',
      `The folder ${path} cannot be created: ${diskReason(error, 'write')}.`,
      { cause: error, hint: 'name another folder with -o' },
    );
  });
}

/** The error for a file or folder whose name has bytes that are not UTF-8, which no program could be given. */
export function invalidNameError(path: string, cause?: unknown): VencError {
  return new VencError('UsageError', `${path} is there, but its name is not valid UTF-8: rename it.`, {
    cause,
  });
}

/** The error for a file or folder that cannot be read. */
export function unreadableError(path: string, error: unknown): VencError {
  if (path === '') {
    const hint =
      'name a media file, a URL or a request; the argument is an empty text, as of a variable that is not set';
    return new VencError('UsageError', 'The file name is missing.', { cause: error, hint });
  }
  if (path.includes('\ufffd') && hasSimilarName(path)) return invalidNameError(path, error);
  const reason = diskReason(error, 'read');
  const hint = unreadableHint(path, reason, error);
  return new VencError('UsageError', `${path} cannot be read: ${reason}.`, {
    cause: error,
    ...(hint === null ? {} : { hint }),
  });
}

function unreadableHint(path: string, reason: string, error: unknown): string | null {
  if (reason === notRegular) return 'write the content of a pipe to a file first';
  const code = systemCode(error);
  if (code === 'ENOENT' && /[*?[]/.test(path))
    return 'no file matches this pattern, so that the shell did not replace it: check the folder and the extension';
  return code === 'EISDIR' ? 'name one of its files' : null;
}

/**
 * Whether a folder has a file whose name reads as that of a path: Node replaces bytes of arguments that are not UTF-8.
 */
function hasSimilarName(path: string): boolean {
  try {
    return readdirSync(dirname(path), 'buffer').some((name) => name.toString('utf8') === basename(path));
  } catch {
    return false;
  }
}
