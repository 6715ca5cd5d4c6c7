import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing. Resolves to the first one that was made, as an absolute path, and to null where all
 * were there. Rejects with the system's error where it cannot be made, and leaves those above it that could.
 *
 * Not Node's own `recursive`: below a folder in which nobody can make one, such as `/proc`, that one never ends.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | null> {
  const folder = resolve(path);
  const parent = dirname(folder);
  const failure = await make(folder, mode);
  if (failure === null) return folder;
  if (await isFolder(folder)) return null;
  if (!isMissing(failure) || parent === folder) throw failure;
  const first = await makeFolder(parent, mode);
  const last = await make(folder, mode);
  if (last !== null && !(await isFolder(folder))) throw last;
  return first ?? folder;
}

/** Makes one folder; resolves to what was in the way of it. */
function make(folder: string, mode: number): Promise<unknown> {
  return mkdir(folder, { mode }).then(
    () => null,
    (error: unknown) => error,
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
