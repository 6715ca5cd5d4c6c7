import { parseUrl } from '../../../src/shared/text/url-text.js';
import { type Credentials, parseRemoteUrl } from '../../transfer/remote-url.js';
import type { Services } from '../services.js';

/** An object in a container, with the login to access it. */
export interface SwiftLocation {
  readonly container: string;
  readonly object: string;
  /** Credentials of the URL, else of the configuration. */
  readonly login: Credentials;
  /** URL of the v1 authentication. */
  readonly authUrl: URL;
}

/** Limits of the service, in bytes. */
const maxContainerBytes = 256;
const maxObjectBytes = 1024;

/**
 * Parses `cf://user:apikey@container/object` (contract, section 9). Returns the validation error as a sentence without
 * subject if the URL is invalid or the configuration is incomplete.
 */
export function parseSwiftUrl(url: string, service: Services['swift']): SwiftLocation | string {
  const authUrl = readAuthUrl(service.authUrl);
  if (typeof authUrl === 'string') return authUrl;
  const parsed = parseRemoteUrl(url, 'bucket');
  if (!parsed.ok) return parsed.validationError.replace('a bucket', 'a container');
  const { host: container, credentials } = parsed;
  if (Buffer.byteLength(container) > maxContainerBytes)
    return `must have a container of at most ${maxContainerBytes} bytes`;
  const object = parsed.parts.join('/');
  if (Buffer.byteLength(object) > maxObjectBytes)
    return `must have an object of at most ${maxObjectBytes} bytes`;
  const { keys } = service;
  const login = credentials ?? (keys === null ? null : { user: keys.id, password: keys.secret });
  if (login === null || login.user === '' || login.password === '')
    return 'must have a user and an API key: as user:apikey@ before the container, saved with venc credentials, or in VENC_SWIFT_USER and VENC_SWIFT_KEY of the daemon';
  return { container, object, login, authUrl };
}

/** The percent-encoded path of an object or a container, relative to its account. */
export function swiftPath(container: string, object?: string): string {
  const parts = object === undefined ? [container] : [container, ...object.split('/')];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function readAuthUrl(text: string | null): URL | string {
  if (text === null)
    return 'needs the address of the Swift login: set VENC_SWIFT_AUTH_URL to that of its v1 authentication, where the encoding runs';
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'needs VENC_SWIFT_AUTH_URL to be a valid http: or https: URL for the daemon';
  return url;
}
