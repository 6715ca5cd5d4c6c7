import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/**
 * The folders that `file:` URLs may lead into: those given, or `anywhere` for a program that works on its own user's files.
 */
export type RootFolders = readonly string[] | 'anywhere';

/**
 * The path with every symbolic link in it resolved, as far as it exists; null where it then lies outside of the roots. What is asked
 * about outside says nothing of whether it exists.
 */
export async function resolveBelow(roots: RootFolders, path: string): Promise<string | null> {
  const resolved = await realpathAsFarAsPossible(path);
  return (await isBelow(roots, resolved)) ? resolved : null;
}

/**
 * Whether an open file or folder lies below the roots. Names can be turned elsewhere between a check and the opening; what is open
 * stays what it is, so this is asked afterwards.
 */
export async function isOpenedBelow(roots: RootFolders, handle: FileHandle, path: string): Promise<boolean> {
  if (roots === 'anywhere') return true;
  const opened = await readlink(descriptorPath(handle)).catch(() => realpath(path));
  return isBelow(roots, opened);
}

/**
 * A path that leads to an open folder whatever becomes of its name, where the system has such paths (Linux); else the folder's
 * name as it was.
 */
export async function stablePath(handle: FileHandle, path: string): Promise<string> {
  return readlink(descriptorPath(handle)).then(
    () => descriptorPath(handle),
    () => path,
  );
}

function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

async function isBelow(roots: RootFolders, path: string): Promise<boolean> {
  if (roots === 'anywhere') return true;
  for (const root of roots) {
    const relativePath = relative(await realpathAsFarAsPossible(root), path);
    if (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
      return true;
  }
  return false;
}

async function realpathAsFarAsPossible(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realpathAsFarAsPossible(parent), basename(path));
  }
}
