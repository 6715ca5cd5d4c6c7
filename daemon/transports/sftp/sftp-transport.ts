import { createServerTransport } from '../file-server/server-transport.js';
import type { RemoteUploadOptions } from '../file-server/upload-to-server.js';
import type { Services } from '../services.js';
import type { Transport } from '../transport.js';
import { parseSftpUrl } from './sftp-url.js';

/** What files over `sftp:` depend on. */
export interface SftpOptions extends RemoteUploadOptions {
  /** The private key for URLs without a password. */
  readonly key: Services['sftp'];
  /** The file that keys of hosts are remembered in. */
  readonly hostKeysPath: string;
  /** Further known_hosts files in OpenSSH's format; the user's and the system's by default. */
  readonly knownHostsPaths?: readonly string[];
}

/** Inputs and outputs over `sftp:` (section 1). */
export function createSftpTransport(options: SftpOptions): Transport {
  const { hostKeysPath: ownPath, knownHostsPaths } = options;
  const hostKeys = { ownPath, ...(knownHostsPaths === undefined ? {} : { otherPaths: knownHostsPaths }) };
  const load = async () =>
    (await import('./create-sftp-server.js')).createSftpServer({ ...options, hostKeys });
  return createServerTransport(['sftp'], parseSftpUrl, load, options);
}
