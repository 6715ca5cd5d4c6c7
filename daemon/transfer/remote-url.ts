import { decodeUrlPart } from '../../src/shared/text/url-text.js';

/** Names of user and password, decoded. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** A file on a server, or in a bucket of one. */
export interface RemoteUrl {
  /** A name or an address, IPv6 without brackets; the name of the bucket for storage. */
  readonly host: string;
  /** Null where the URL names none. */
  readonly port: number | null;
  /** Null where the URL names none; a missing password is an empty one. */
  readonly credentials: Credentials | null;
  /** What stands after the host, decoded, its parts in their order: `['folder', 'film.mp4']`. Never empty, nor `.` or `..`. */
  readonly parts: readonly string[];
  /** The path begins at the root of the server: `//folder/film.mp4` or `/%2Ffolder/film.mp4` after the host. */
  readonly isFromRoot: boolean;
}

/** A URL that was read; or why a text is none: a sentence without subject. */
export type RemoteUrlParseResult =
  | ({ readonly ok: true } & RemoteUrl)
  | { readonly ok: false; readonly validationError: string };

/** What a scheme puts in front of its path. */
export type HostKind = 'host' | 'bucket';

/** Scheme, what stands before the path, path. Secrets of storage services hold slashes, and people leave them as they are. */
const urlPatterns = {
  host: /^[a-z][a-z0-9+.-]*:\/\/([^/]*)(\/.*)?$/is,
  bucket: /^[a-z][a-z0-9+.-]*:\/\/((?:[^/@:]*:[^@]*@)?[^/]*)(\/.*)?$/is,
} as const satisfies Record<HostKind, RegExp>;

/**
 * Reads `scheme://user:password@host:port/path`, whatever the scheme (section 1): every part is percent-decoded. Nothing after the path
 * is special: file servers know no queries, and names hold "?" and "#". Line breaks and other control characters are refused, since
 * they end a command of FTP.
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
    return invalid('must not hold line breaks or other control characters');
  if (parts.length === 0 || rawPath.endsWith('/')) return invalid('must name a file');
  if (parts.some((part) => part === '.' || part === '..'))
    return invalid('must not hold "." or ".." as a folder');
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
  // Only the schemes of the web have their hosts checked, and every spelling of an address brought into one.
  if (!URL.canParse(`http://${host}/`)) return 'must be a valid URL with a valid host';
  const { hostname } = new URL(`http://${host}/`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port ? Number(port) : null };
}

function bucket(url: string): Pick<RemoteUrl, 'host' | 'port'> | string {
  const name = decodeUrlPart(url);
  if (name === '') return 'must name a bucket';
  if (name === '.' || name === '..') return 'must name a bucket, which "." and ".." are not';
  if (/[\s:@/\\]/.test(name)) return 'must name a bucket, without a port';
  return { host: name, port: null };
}

function credentialsOf(url: string): Credentials {
  const colon = url.indexOf(':');
  if (colon < 0) return { user: decodeUrlPart(url), password: '' };
  return { user: decodeUrlPart(url.slice(0, colon)), password: decodeUrlPart(url.slice(colon + 1)) };
}

function hasControlCharacters(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return /[\u0000-\u001f\u007f]/.test(url);
}

function invalid(validationError: string): RemoteUrlParseResult {
  return { ok: false, validationError };
}
