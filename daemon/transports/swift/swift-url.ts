import type { Credentials } from '../../transfer/remote-url.js';
import { parseRemoteUrl } from '../../transfer/remote-url.js';
import type { Services } from '../services.js';

/** An object in a container, and who asks for it where. */
export interface SwiftLocation {
  readonly container: string;
  readonly object: string;
  /** Those of the URL, else those of the configuration. */
  readonly login: Credentials;
  /** Where to log in. */
  readonly authUrl: URL;
}

/** The service's own limits, in bytes. */
const maxContainerBytes = 256;
const maxObjectBytes = 1024;

/**
 * Where `cf://user:apikey@container/object` leads (contract, section 9); or a sentence without subject that says why it cannot be
 * used, be it for what the configuration lacks.
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
    return 'must hold user:apikey@ in front of the container, as VENC_SWIFT_USER and VENC_SWIFT_KEY are not both set for the daemon';
  return { container, object, login, authUrl };
}

/** The path of an object, or of a container, below its account, percent-encoded. */
export function swiftPath(container: string, object?: string): string {
  const parts = object === undefined ? [container] : [container, ...object.split('/')];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function readAuthUrl(text: string | null): URL | string {
  if (text === null)
    return 'needs a service of OpenStack Swift: set VENC_SWIFT_AUTH_URL for the daemon to the address of its v1 authentication';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'needs VENC_SWIFT_AUTH_URL to be a valid http: or https: URL for the daemon';
  return url;
}
