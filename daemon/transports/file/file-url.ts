import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of a `file:` URL, or the validation error as a sentence without subject. */
type FileUrlParseResult =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly validationError: string };

/** Parses a `file:` URL: an absolute path in percent-encoded UTF-8, without host, query and fragment. */
export function parseFileUrl(url: string): FileUrlParseResult {
  if (!/^file:(?:\/\/[^/]*)?\/./i.test(url))
    return invalid('must have an absolute path, as in file:///folder/file');
  // The parser would silently drop the query and the fragment, and so name another file.
  if (/[?#]/.test(url)) return invalid('must write "?" as %3F and "#" as %23 in the name of a file');
  if (/%2f/i.test(url)) return invalid('must not contain an encoded slash');
  if (url.endsWith('/')) return invalid('must name a file, not a folder');
  try {
    const path = fileURLToPath(url);
    return path.includes('\0') ? invalid('must not contain a NUL character') : { ok: true, path };
  } catch (error) {
    if (error instanceof URIError) return invalid('must be percent-encoded UTF-8, and write "%" as %25');
    return invalid('must be a valid file: URL without a host');
  }
}

function invalid(validationError: string): FileUrlParseResult {
  return { ok: false, validationError };
}

/** Folders that `file:` URLs may name files in, or `anywhere` for a program that works on the files of its own user. */
export type RootFolders = readonly string[] | 'anywhere';

/**
 * Resolves every symbolic link of a path, as far as the path exists. Returns null if the result is outside of the
 * roots, whether or not the file exists.
 */
export async function resolveBelow(roots: RootFolders, path: string): Promise<string | null> {
  const resolved = await realpathAsFarAsPossible(path);
  return (await isBelow(roots, resolved)) ? resolved : null;
}

/**
 * Whether an open file or folder is below the roots. Check this after opening: a path can be redirected between a check
 * and the open, but a handle cannot.
 */
export async function isOpenedBelow(roots: RootFolders, handle: FileHandle, path: string): Promise<boolean> {
  if (roots === 'anywhere') return true;
  const opened = await readlink(descriptorPath(handle)).catch(() => realpath(path));
  return isBelow(roots, opened);
}

/**
 * A path to an open folder that stays valid if the folder is renamed (Linux only); on other systems, the given path.
 */
export async function stablePath(handle: FileHandle, path: string): Promise<string> {
  return readlink(descriptorPath(handle)).then(
    () => descriptorPath(handle),
    () => path,
  );
}

/** A path to an open file or folder itself, whatever its name is now; only Linux has it. */
export function descriptorPath(handle: FileHandle): string {
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
