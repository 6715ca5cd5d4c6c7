/** A path as the routes know it, and the representation that its suffix asked for. */
export interface RequestPath {
  readonly path: string;
  readonly suffix: 'json' | 'xml' | 'js' | null;
}

/** Names of files and of the description of this service: what looks like a suffix there is a part of the name. */
const plainPaths = /^\/(?:(?:v2\/uploads|hosted)\/|openapi\.json$)/;

/**
 * Brings the path of a request into the form of the route table: repeated slashes collapse, a slash at the end and the prefix `/api`
 * go, `.json`, `.xml` and `.js` are taken off. The names of uploads and hosted files are left alone: their dots are
 * their own.
 */
export function requestPath(pathname: string): RequestPath {
  const collapsed = pathname.replace(/\/{2,}/g, '/').replace(/^\/api(?=\/|$)/, '');
  const isFileName = plainPaths.test(collapsed);
  const trimmed = isFileName && !collapsed.startsWith('/openapi') ? collapsed : collapsed.replace(/\/$/, '');
  if (isFileName) return { path: trimmed, suffix: null };
  const suffix = /\.(json|xml|js)$/.exec(trimmed)?.[1] as 'json' | 'xml' | 'js' | undefined;
  if (suffix === undefined) return { path: trimmed === '' ? '/' : trimmed, suffix: null };
  return { path: trimmed.slice(0, -suffix.length - 1), suffix };
}

/** The path within an absolute URL, as it came: nothing is decoded, and no object is made of it on the way of every request. */
export function pathnameOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start === -1) return '/';
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
