/** A path as the routes know it, and the representation that its suffix asked for. */
export interface RequestPath {
  readonly path: string;
  readonly suffix: 'json' | 'xml' | 'js' | null;
}

/**
 * Brings the path of a request into the form of the route table: repeated slashes collapse, a slash at the end and the prefix `/api`
 * go, `.json`, `.xml` and `.js` are taken off. The names of uploads and hosted files are left alone: their dots are
 * their own.
 */
export function requestPath(pathname: string): RequestPath {
  const collapsed = pathname.replace(/\/{2,}/g, '/').replace(/^\/api(?=\/|$)/, '');
  if (/^\/(v2\/uploads|hosted)\//.test(collapsed)) return { path: collapsed, suffix: null };
  const trimmed = collapsed.replace(/\/$/, '');
  const suffix = /\.(json|xml|js)$/.exec(trimmed)?.[1] as 'json' | 'xml' | 'js' | undefined;
  if (suffix === undefined) return { path: trimmed === '' ? '/' : trimmed, suffix: null };
  return { path: trimmed.slice(0, -suffix.length - 1), suffix };
}
