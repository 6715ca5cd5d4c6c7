import { decoded } from '../../src/shared/text/url-text.js';

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
export type RemoteUrlReading =
  | ({ readonly ok: true } & RemoteUrl)
  | { readonly ok: false; readonly complaint: string };

/** What a scheme puts in front of its path. */
export type HostKind = 'host' | 'bucket';

/** Scheme, what stands before the path, path. Secrets of storage services hold slashes, and people leave them as they are. */
const shapes = {
  host: /^[a-z][a-z0-9+.-]*:\/\/([^/]*)(\/.*)?$/is,
  bucket: /^[a-z][a-z0-9+.-]*:\/\/((?:[^/@:]*:[^@]*@)?[^/]*)(\/.*)?$/is,
} as const satisfies Record<HostKind, RegExp>;

/**
 * Reads `scheme://user:password@host:port/path`, whatever the scheme (section 1): every part is percent-decoded. Nothing after the path
 * is special: file servers know no queries, and names hold "?" and "#". Line breaks and other control characters are refused, since
 * they end a command of FTP.
 */
export function readRemoteUrl(text: string, kind: HostKind = 'host'): RemoteUrlReading {
  const [, authority, path] = shapes[kind].exec(text) ?? [];
  if (authority === undefined) return no(`must be a URL such as scheme://${kind}/folder/film.mp4`);
  const at = authority.lastIndexOf('@');
  const place = kind === 'host' ? hostAndPort(authority.slice(at + 1)) : bucket(authority.slice(at + 1));
  if (typeof place === 'string') return no(place);
  const credentials = at < 0 ? null : credentialsOf(authority.slice(0, at));
  const raw = path ?? '/';
  const isFromRoot = /^\/(?:\/|%2f)/i.test(raw);
  const parts = raw
    .split('/')
    .map(decoded)
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '');
  const said = [place.host, credentials?.user ?? '', credentials?.password ?? '', ...parts];
  if (said.some(hasControls)) return no('must not hold line breaks or other control characters');
  if (parts.length === 0 || raw.endsWith('/')) return no('must name a file');
  if (parts.some((part) => part === '.' || part === '..')) return no('must not hold "." or ".." as a folder');
  return { ok: true, ...place, credentials, parts, isFromRoot };
}

function hostAndPort(text: string): Pick<RemoteUrl, 'host' | 'port'> | string {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [];
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

function bucket(text: string): Pick<RemoteUrl, 'host' | 'port'> | string {
  const name = decoded(text);
  if (name === '') return 'must name a bucket';
  if (name === '.' || name === '..') return 'must name a bucket, which "." and ".." are not';
  if (/[\s:@/\\]/.test(name)) return 'must name a bucket, without a port';
  return { host: name, port: null };
}

function credentialsOf(text: string): Credentials {
  const colon = text.indexOf(':');
  if (colon < 0) return { user: decoded(text), password: '' };
  return { user: decoded(text.slice(0, colon)), password: decoded(text.slice(colon + 1)) };
}

function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return /[\u0000-\u001f\u007f]/.test(text);
}

function no(complaint: string): RemoteUrlReading {
  return { ok: false, complaint };
}
