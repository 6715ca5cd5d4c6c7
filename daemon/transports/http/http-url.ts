import { decodeUrlPart } from '../../../src/shared/text/url-text.js';
import type { Credentials } from '../../transfer/remote-url.js';

/** An address without credentials, and these; or why a text is none: a sentence without subject. */
type HttpUrlParseResult =
  | { readonly ok: true; readonly url: URL; readonly credentials: Credentials | null }
  | { readonly ok: false; readonly validationError: string };

/**
 * Reads an `http:` or `https:` URL, more strictly than the parser, which finds a host in `http:///a/b` and `http:a`.
 */
export function parseHttpUrl(text: string): HttpUrlParseResult {
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1];
  const host = authority?.slice(authority.lastIndexOf('@') + 1);
  if (host === undefined || host === '' || host.startsWith(':')) return invalid('must name a host');
  const port = /:([^:\]]*)$/.exec(host)?.[1] ?? '';
  if (port !== '' && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return invalid('must have a port from 1 to 65535');
  }
  try {
    const url = new URL(text);
    const credentials = credentialsOf(url);
    url.username = '';
    url.password = '';
    url.hash = '';
    return { ok: true, url, credentials };
  } catch {
    return invalid('must be a valid URL with a valid host');
  }
}

/** The value of the header `Authorization` for a user and a password (basic authentication). */
export function basicAuthorization({ user, password }: Credentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}

function credentialsOf(url: URL): Credentials | null {
  if (url.username === '' && url.password === '') return null;
  return { user: decodeUrlPart(url.username), password: decodeUrlPart(url.password) };
}

function invalid(validationError: string): HttpUrlParseResult {
  return { ok: false, validationError };
}
