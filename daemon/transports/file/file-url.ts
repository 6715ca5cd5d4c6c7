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
