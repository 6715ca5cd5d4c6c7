import { type RemoteUrl, readRemoteUrl } from '../../transfer/remote-url.js';

/** A file on a server of Aspera. */
export interface FaspPlace extends Omit<RemoteUrl, 'credentials'> {
  readonly user: string;
  readonly password: string;
  /** As the server is to be asked for it: below the folder of its user, or from the root. */
  readonly path: string;
  /** The host with its port, to be named in messages. */
  readonly name: string;
}

/** Where `fasp://user:password@host:port/path` leads (section 1); or a sentence without subject that says why it cannot be used. */
export function readFaspUrl(url: string): FaspPlace | string {
  const reading = readRemoteUrl(url);
  if (!reading.ok) return reading.complaint;
  const { host, port, credentials, parts, isFromRoot } = reading;
  if (credentials === null || credentials.user === '' || credentials.password === '')
    return 'must hold user:password@ in front of the host';
  const path = `${isFromRoot ? '/' : ''}${parts.join('/')}`;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    ...reading,
    ...credentials,
    // What begins with a dash would be an option.
    path: path.startsWith('-') ? `./${path}` : path,
    name: port === null ? shown : `${shown}:${port}`,
  };
}
