/** A path as the routes know it, and the representation that its suffix asked for. */
export interface RequestPath {
  readonly path: string;
  readonly suffix: 'json' | 'xml' | 'js' | null;
}

/** Below these a name of a file stands last: what looks like a suffix there is a part of it. */
const fileNames = /^\/(?:v2\/uploads|hosted)\//;

/** The addresses that are asked for most, known at one look; all others are taken apart below. */
const commonPaths = /^(?:\/api)?(\/v2\/(?:jobs|inputs|outputs)(?:\/\d+(?:\/[a-z]+)?)?)(?:\.(json|xml|js))?$/;

/**
 * Brings the path of a request into the form of the route table: repeated slashes collapse, a slash at the end and the prefix `/api`
 * go, `.json`, `.xml` and `.js` are taken off. The names of uploads and hosted files are left alone: their dots are
 * their own.
 */
export function normalizePath(pathname: string): RequestPath {
  const [, path, form] = commonPaths.exec(pathname) ?? [];
  if (path !== undefined) return { path, suffix: suffixOf(form) };
  const collapsed = pathname.replace(/\/{2,}/g, '/').replace(/^\/api(?=\/|$)/, '');
  if (fileNames.test(collapsed)) return { path: collapsed, suffix: null };
  const trimmed = collapsed.replace(/\/$/, '');
  if (trimmed === '' || trimmed === '/openapi.json') return { path: trimmed || '/', suffix: null };
  const suffix = suffixOf(/\.(json|xml|js)$/.exec(trimmed)?.[1]);
  return { path: suffix === null ? trimmed : trimmed.slice(0, -suffix.length - 1), suffix };
}

function suffixOf(text: string | undefined): RequestPath['suffix'] {
  return text === 'json' || text === 'xml' || text === 'js' ? text : null;
}

/** The path within an absolute URL, as it came: nothing is decoded, and no object is made of it on the way of every request. */
export function pathnameOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start === -1) return '/';
  const query = url.indexOf('?', start);
  const end = query === -1 ? url.indexOf('#', start) : query;
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** {@link requestPath} of a request. Working it out again costs less than keeping it. */
export function requestPathOf(request: { readonly url: string }): RequestPath {
  return normalizePath(pathnameOf(request.url));
}
