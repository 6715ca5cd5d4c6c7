import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { VencError } from '../../shared/errors.js';
import { makeFolder } from '../../shared/util/disk.js';
import { diskReason } from '../../shared/util/system-code.js';

const notRegular = 'it is no regular file';

/** A local file that is to be brought to a service. */
export interface FileToUpload {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Reads a text file. Rejects with `UsageError` where that is not possible. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Size of a regular file that can be read. Rejects with `UsageError` for everything else. */
export async function readableFileSize(path: string): Promise<number> {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isFile()) return found.size;
    throw Object.assign(new Error(notRegular), found.isDirectory() ? { code: 'EISDIR' } : {});
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Rejects with `UsageError` where a path that an option was given is no folder. */
export async function requireFolder(path: string, option: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new VencError('UsageError', `${option} takes a folder that is there, and "${path}" is none.`);
}

/** Makes a folder where it is missing. Rejects with `UsageError` where that is not possible. */
export async function provideFolder(path: string): Promise<void> {
  await makeFolder(path).catch((error: unknown) => {
    throw new VencError('UsageError', `The folder ${path} cannot be made: ${diskReason(error, 'write')}.`, {
      cause: error,
      hint: 'name another folder with -o',
    });
  });
}

function unreadable(path: string, error: unknown): VencError {
  if (path === '') return new VencError('UsageError', 'The name of a file is missing.', { cause: error });
  const reason = diskReason(error, 'read');
  const hint =
    reason === notRegular ? { hint: 'what comes through a pipe is to be written to a file first' } : {};
  return new VencError('UsageError', `${path} cannot be read: ${reason}.`, { cause: error, ...hint });
}
