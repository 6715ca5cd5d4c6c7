import { parseRemoteUrl } from '../../transfer/remote-url.js';
import type { RemoteLocation } from '../file-server/file-server.js';
import { createServerTransport } from '../file-server/server-transport.js';
import type { RemoteUploadOptions } from '../file-server/upload-to-server.js';
import type { Services } from '../services.js';
import type { Transport } from '../transport.js';

/** Options of the SFTP transport. */
interface SftpOptions extends RemoteUploadOptions {
  /** The private key for URLs without a password. */
  readonly key: Services['sftp'];
  /** The known_hosts file that new host keys are added to. */
  readonly hostKeysPath: string;
  /** Further known_hosts files in OpenSSH's format; the user's and the system's by default. */
  readonly knownHostsPaths?: readonly string[];
}

/** Creates the transport of `sftp:` (section 1). */
export function createSftpTransport(options: SftpOptions): Transport {
  const { hostKeysPath: ownPath, knownHostsPaths } = options;
  const hostKeys = { ownPath, ...(knownHostsPaths === undefined ? {} : { otherPaths: knownHostsPaths }) };
  const load = async () =>
    (await import('./create-sftp-server.js')).createSftpServer({ ...options, hostKeys });
  return createServerTransport(['sftp'], parseSftpUrl, load, options);
}

const defaultPort = 22;

/**
 * Parses an `sftp:` URL. Its path is absolute (`sftp://host/data/film.mp4` is `/data/film.mp4`), except that `/~/` is
 * the initial folder of the user. `%7E` means the same as `~`; a folder named `~` is written as `//~/`. Returns the
 * validation error as a sentence without subject if the URL is invalid.
 */
export function parseSftpUrl(url: string): RemoteLocation | string {
  const parsed = parseRemoteUrl(url);
  if (!parsed.ok) return parsed.validationError;
  const { parts, credentials, isFromRoot, host } = parsed;
  if (credentials === null || credentials.user === '')
    return 'must name a user, as in sftp://user:password@host/folder/film.mp4';
  const isFromHome = parts[0] === '~' && !isFromRoot;
  const folderParts = isFromHome ? parts.slice(1) : parts;
  if (folderParts.length === 0) return 'must name a file in the home folder, as in /~/film.mp4';
  const pathOf = (count: number): string =>
    `${isFromHome ? '' : '/'}${folderParts.slice(0, count).join('/')}`;
  const port = parsed.port ?? defaultPort;
  return {
    ...parsed,
    port,
    path: pathOf(folderParts.length),
    folders: folderParts.slice(1).map((_, parents) => pathOf(parents + 1)),
    name: `${host.includes(':') ? `[${host}]` : host}:${port}`,
  };
}
