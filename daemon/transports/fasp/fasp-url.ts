import { parseRemoteUrl, type RemoteUrl } from '../../transfer/remote-url.js';

/** A file on a server of Aspera. */
export interface FaspLocation extends Omit<RemoteUrl, 'credentials'> {
  readonly user: string;
  readonly password: string;
  /** As the server is to be asked for it: below the folder of its user, or from the root. */
  readonly path: string;
  /** The host with its port, to be named in messages. */
  readonly name: string;
}

/** Where `fasp://user:password@host:port/path` leads (section 1); or a sentence without subject that says why it cannot be used. */
export function parseFaspUrl(url: string): FaspLocation | string {
  const parsed = parseRemoteUrl(url);
  if (!parsed.ok) return parsed.validationError;
  const { host, port, credentials, parts, isFromRoot } = parsed;
  if (credentials === null || credentials.user === '' || credentials.password === '')
    return 'must hold user:password@ in front of the host';
  const path = `${isFromRoot ? '/' : ''}${parts.join('/')}`;
  const displayHost = host.includes(':') ? `[${host}]` : host;
  return {
    ...parsed,
    ...credentials,
    // What begins with a dash would be an option.
    path: path.startsWith('-') ? `./${path}` : path,
    name: port === null ? displayHost : `${displayHost}:${port}`,
  };
}
