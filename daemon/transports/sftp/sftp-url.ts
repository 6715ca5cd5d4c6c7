import { readRemoteUrl } from '../../transfer/remote-url.js';
import type { RemotePlace } from '../file-server/file-server.js';

const defaultPort = 22;

/**
 * Where an `sftp:` URL leads: its path is one of the server (`sftp://host/data/film.mp4` is `/data/film.mp4`), but for `/~/`, which is the
 * folder that a login begins in. `%7E` is the same letter in another spelling; a folder of that name is had with `//~/`. Or a
 * sentence without subject that says why it cannot be used.
 */
export function readSftpUrl(url: string): RemotePlace | string {
  const reading = readRemoteUrl(url);
  if (!reading.ok) return reading.complaint;
  const { parts, credentials, isFromRoot, host } = reading;
  if (credentials === null || credentials.user === '')
    return 'must name a user, as in sftp://user:password@host/folder/film.mp4';
  const isFromHome = parts[0] === '~' && !isFromRoot;
  const steps = isFromHome ? parts.slice(1) : parts;
  if (steps.length === 0) return 'must name a file in the home folder, as in /~/film.mp4';
  const pathOf = (count: number): string => `${isFromHome ? '' : '/'}${steps.slice(0, count).join('/')}`;
  const port = reading.port ?? defaultPort;
  return {
    ...reading,
    port,
    path: pathOf(steps.length),
    folders: steps.slice(1).map((_, above) => pathOf(above + 1)),
    name: `${host.includes(':') ? `[${host}]` : host}:${port}`,
  };
}
