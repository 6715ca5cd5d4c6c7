import { serverTransport } from '../file-server/server-transport.js';
import type { UploadOptions } from '../file-server/upload-to-server.js';
import type { Services } from '../services.js';
import type { Transport } from '../transport.js';
import { readSftpUrl } from './sftp-url.js';

/** What files over `sftp:` depend on. */
export interface SftpOptions extends UploadOptions {
  /** The private key for URLs without a password. */
  readonly key: Services['sftp'];
  /** The file that keys of hosts are remembered in. */
  readonly hostKeysPath: string;
  /** Files in OpenSSH's form that are honoured beside it; the user's and the system's where they are not given. */
  readonly knownHostsPaths?: readonly string[];
}

/** Inputs and outputs over `sftp:` (section 1). */
export function createSftpTransport(options: SftpOptions): Transport {
  const { hostKeysPath: own, knownHostsPaths } = options;
  const hostKeys = { own, ...(knownHostsPaths === undefined ? {} : { others: knownHostsPaths }) };
  const load = async () => (await import('./connect.js')).sftpServer({ ...options, hostKeys });
  return serverTransport(['sftp'], readSftpUrl, load, options);
}
