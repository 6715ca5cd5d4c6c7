/** A path in the form of the route table, and the representation that its suffix names. */
export interface RequestPath {
  readonly path: string;
  readonly suffix: 'json' | 'xml' | 'js' | 'txt' | null;
}

/** Paths that end in the name of a file or a preset: a suffix there belongs to the name. */
const fileNames = /^\/(?:(?:v2\/uploads|hosted)\/|v2\/presets\/[^/])/;

/** Documents: their suffix belongs to the name. */
const jsonDocuments: ReadonlySet<string> = new Set(['/openapi.json', '/v2/schema.json']);

/** The most frequent paths, recognized with one regular expression; all others are parsed below. */
const commonPaths = /^(?:\/api)?(\/v2\/(?:jobs|inputs|outputs)(?:\/\d+(?:\/[a-z]+)?)?)(?:\.(json|xml|js))?$/;

/**
 * Converts the path of a request into the form of the route table: collapses repeated slashes, and removes a
 * trailing slash, the prefix `/api` and the suffixes `.json`, `.xml`, `.js` and `.txt`. The names of uploads and
 * hosted files keep their dots.
 */
export function normalizePath(pathname: string): RequestPath {
  const [, path, form] = commonPaths.exec(pathname) ?? [];
  if (path !== undefined) return { path, suffix: suffixOf(form) };
  const collapsed = pathname.replace(/\/{2,}/g, '/').replace(/^\/api(?=\/|$)/, '');
  if (fileNames.test(collapsed)) return { path: collapsed, suffix: null };
  const trimmed = collapsed.replace(/\/$/, '');
  if (trimmed === '' || jsonDocuments.has(trimmed)) return { path: trimmed || '/', suffix: null };
  const suffix = suffixOf(/\.(json|xml|js|txt)$/.exec(trimmed)?.[1]);
  return { path: suffix === null ? trimmed : trimmed.slice(0, -suffix.length - 1), suffix };
}

/**
 * The path of a request to the page, which is at `/ui` and below: percent-decoded, with single slashes. null for any
 * other path, also with the prefix `/api`.
 */
export function pagePathOf(pathname: string): string | null {
  // Nearly all requests: a path of the page has "ui" or an encoded letter within its first characters.
  if (!/^\/+(?:ui|%)/i.test(pathname)) return null;
  const path = decode(pathname).replace(/\/{2,}/g, '/');
  return /^\/ui(?:\/|$)/.test(path) ? path : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function suffixOf(text: string | undefined): RequestPath['suffix'] {
  return text === 'json' || text === 'xml' || text === 'js' || text === 'txt' ? text : null;
}

/** The path of an absolute URL, not decoded. Creates no URL object, because every request passes here. */
export function pathnameOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start === -1) return '/';
  const query = url.indexOf('?', start);
  const end = query === -1 ? url.indexOf('#', start) : query;
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
