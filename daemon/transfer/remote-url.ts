import { decodeUrlPart, parseUrl } from '../../src/shared/text/url-text.js';

/** User name and password, percent-decoded. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** A file on a server, or an object in a bucket. */
export interface RemoteUrl {
  /** Host name or address, IPv6 without brackets; for object storage, the name of the bucket. */
  readonly host: string;
  /** Null if the URL has none. */
  readonly port: number | null;
  /** Null if the URL has none. A missing password is empty. */
  readonly credentials: Credentials | null;
  /** Path segments, percent-decoded: `['folder', 'film.mp4']`. There is at least one; none is empty, `.` or `..`. */
  readonly parts: readonly string[];
  /** Whether the path begins at the root of the server: `//folder/film.mp4` or `/%2Ffolder/film.mp4` after the host. */
  readonly isFromRoot: boolean;
}

/** A parsed URL, or the validation error as a sentence without subject. */
type RemoteUrlParseResult =
  | ({ readonly ok: true } & RemoteUrl)
  | { readonly ok: false; readonly validationError: string };

/** Whether the scheme puts a host or a bucket before the path. */
export type HostKind = 'host' | 'bucket';

/** Scheme, authority, path. Secrets of storage services contain slashes, which users often leave unencoded. */
const urlPatterns = {
  host: /^[a-z][a-z0-9+.-]*:\/\/([^/]*)(\/.*)?$/is,
  bucket: /^[a-z][a-z0-9+.-]*:\/\/((?:[^/@:]*:[^@]*@)?[^/]*)(\/.*)?$/is,
} as const satisfies Record<HostKind, RegExp>;

/**
 * Parses `scheme://user:password@host:port/path` with any scheme (section 1), and percent-decodes every part. "?" and
 * "#" are part of the path: file servers have no queries, and names contain these characters. Line breaks and other
 * control characters are rejected, because a line break ends an FTP command.
 */
export function parseRemoteUrl(url: string, kind: HostKind = 'host'): RemoteUrlParseResult {
  const [, authority, path] = urlPatterns[kind].exec(url) ?? [];
  if (authority === undefined) return invalid(`must be a URL such as scheme://${kind}/folder/film.mp4`);
  const at = authority.lastIndexOf('@');
  const endpoint = kind === 'host' ? hostAndPort(authority.slice(at + 1)) : bucket(authority.slice(at + 1));
  if (typeof endpoint === 'string') return invalid(endpoint);
  const credentials = at < 0 ? null : credentialsOf(authority.slice(0, at));
  const rawPath = path ?? '/';
  const isFromRoot = /^\/(?:\/|%2f)/i.test(rawPath);
  const parts = rawPath
    .split('/')
    .map(decodeUrlPart)
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '');
  const values = [endpoint.host, credentials?.user ?? '', credentials?.password ?? '', ...parts];
  if (values.some(hasControlCharacters))
    return invalid('must not contain line breaks or other control characters');
  if (parts.length === 0 || rawPath.endsWith('/')) return invalid('must name a file');
  if (parts.some((part) => part === '.' || part === '..'))
    return invalid('must not contain "." or ".." as a folder');
  return { ok: true, ...endpoint, credentials, parts, isFromRoot };
}

function hostAndPort(url: string): Pick<RemoteUrl, 'host' | 'port'> | string {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(url) ?? [];
  if (host === '') return 'must name a host';
  if (
    port !== undefined &&
    port !== '' &&
    !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
  )
    return 'must have a port from 1 to 65535';
  // The URL parser validates hosts and normalizes addresses only for web schemes such as http.
  if (parseUrl(`http://${host}/`) === null) return 'must be a valid URL with a valid host';
  const { hostname } = new URL(`http://${host}/`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port ? Number(port) : null };
}

function bucket(url: string): Pick<RemoteUrl, 'host' | 'port'> | string {
  const name = decodeUrlPart(url);
  if (name === '') return 'must name a bucket';
  if (name === '.' || name === '..') return 'must name a bucket other than "." and ".."';
  if (/[\s:@/\\]/.test(name)) return 'must name a bucket, without a port';
  return { host: name, port: null };
}

function credentialsOf(url: string): Credentials {
  const colon = url.indexOf(':');
  if (colon < 0) return { user: decodeUrlPart(url), password: '' };
  return { user: decodeUrlPart(url.slice(0, colon)), password: decodeUrlPart(url.slice(colon + 1)) };
}

function hasControlCharacters(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this function searches for them.
  return /[\u0000-\u001f\u007f]/.test(url);
}

function invalid(validationError: string): RemoteUrlParseResult {
  return { ok: false, validationError };
}
