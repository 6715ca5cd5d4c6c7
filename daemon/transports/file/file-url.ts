import { fileURLToPath } from 'node:url';

/** A path, or why a URL names none: a sentence without subject. */
export type FileUrlReading =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly complaint: string };

/** Reads a `file:` URL by the rules of URLs: percent-encoded UTF-8, absolute, without host, query and fragment. */
export function readFileUrl(url: string): FileUrlReading {
  if (!/^file:(?:\/\/[^/]*)?\/./i.test(url))
    return no('must hold an absolute path, as in file:///folder/file');
  // The parser would drop both without a word, and the file meant would be another one.
  if (/[?#]/.test(url)) return no('must write "?" as %3F and "#" as %23 in the name of a file');
  if (/%2f/i.test(url)) return no('must not hold an encoded slash');
  if (url.endsWith('/')) return no('must name a file, not a folder');
  try {
    const path = fileURLToPath(url);
    return path.includes('\0') ? no('must not hold a NUL character') : { ok: true, path };
  } catch (error) {
    if (error instanceof URIError) return no('must be percent-encoded UTF-8, and write "%" as %25');
    return no('must be a valid file: URL without a host');
  }
}

function no(complaint: string): FileUrlReading {
  return { ok: false, complaint };
}
