/** Percent-decodes a text. A text that cannot be decoded, such as one with a literal "%", is returned unchanged. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Parses a URL; null if it is invalid.
 *
 * Not `URL.canParse`: in Node 20 it returns false for valid URLs with a host such as `bücher.example` once the call was
 * optimised, after some thousands of calls.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Whether a text is a URL (with `://`) rather than a path. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** The path of a URL, still encoded: without scheme, host, query and fragment. */
export function pathInUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/]*)?/i, '');
}

/** The last part of the path of a URL, percent-decoded; empty if there is none. */
export function fileNameInUrl(url: string): string {
  const path = pathInUrl(url).replace(/\/+$/, '');
  return decodeUrlPart(path.slice(path.lastIndexOf('/') + 1));
}

// The dot may be percent-encoded.
const extensionInUrl = /(?<=[^/])(?:\.|%2e)(?:(?!%2e)[^./])+$/i;

/** A file name without its extension. A leading dot does not start an extension. */
export function withoutExtension(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/s, '');
}

/** The URL of a file next to another one: its extension is replaced with a suffix. */
export function replaceExtensionInUrl(url: string, suffix: string): string {
  const [, path = url, queryAndHash = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  return `${path.replace(/\/+$/, '').replace(extensionInUrl, '')}${suffix}${queryAndHash}`;
}

/** The URL of a file in the folder of another one, by its relative path. */
export function siblingInUrl(url: string, path: string): string {
  const [, before = url, queryAndHash = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  const address = before.replace(/\/+$/, '');
  const folder = address.slice(0, address.lastIndexOf('/') + 1);
  return `${folder}${path.split('/').map(encodeURIComponent).join('/')}${queryAndHash}`;
}
