/** A text percent-decoded, or as it is where it cannot be: a lone "%" was meant as it stands. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a text is a URL, with its `://`, and no path. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** The path in a URL, as it stands there: without scheme, host, query and fragment. */
export function pathInUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/]*)?/i, '');
}

/** The name that the path of a URL ends in, percent-decoded; empty where it has none. */
export function fileNameInUrl(url: string): string {
  const path = pathInUrl(url).replace(/\/+$/, '');
  return decodeUrlPart(path.slice(path.lastIndexOf('/') + 1));
}

// The dot may be percent-encoded, as everything in a URL may be.
const extensionInUrl = /(?<=[^/])(?:\.|%2e)(?:(?!%2e)[^./])+$/i;

/** A file name without its extension. What begins with a dot and has no other one has none. */
export function withoutExtension(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/s, '');
}

/** The URL of a file beside the one of another URL: its name without the extension, and an ending in place of that. */
export function replaceExtensionInUrl(url: string, suffix: string): string {
  const [, path = url, queryAndHash = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  return `${path.replace(/\/+$/, '').replace(extensionInUrl, '')}${suffix}${queryAndHash}`;
}

/** What the name of a thumbnail has in place of the extension of its video's: `_0000.png`, `_0001.png` and so on. */
export function thumbnailFileSuffix(index: number): string {
  return `_${String(index).padStart(4, '0')}.png`;
}
