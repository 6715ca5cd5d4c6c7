import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path, or why a URL names none: a sentence without subject. */
export type FileUrlParseResult =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly validationError: string };

/** Reads a `file:` URL by the rules of URLs: percent-encoded UTF-8, absolute, without host, query and fragment. */
export function parseFileUrl(url: string): FileUrlParseResult {
  if (!/^file:(?:\/\/[^/]*)?\/./i.test(url))
    return invalid('must hold an absolute path, as in file:///folder/file');
  // The parser would drop both without a word, and the file meant would be another one.
  if (/[?#]/.test(url)) return invalid('must write "?" as %3F and "#" as %23 in the name of a file');
  if (/%2f/i.test(url)) return invalid('must not hold an encoded slash');
  if (url.endsWith('/')) return invalid('must name a file, not a folder');
  try {
    const path = fileURLToPath(url);
    return path.includes('\0') ? invalid('must not hold a NUL character') : { ok: true, path };
  } catch (error) {
    if (error instanceof URIError) return invalid('must be percent-encoded UTF-8, and write "%" as %25');
    return invalid('must be a valid file: URL without a host');
  }
}

function invalid(validationError: string): FileUrlParseResult {
  return { ok: false, validationError };
}

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
