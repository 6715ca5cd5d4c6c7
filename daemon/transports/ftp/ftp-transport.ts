import { createServerTransport } from '../file-server/server-transport.js';
import type { RemoteUploadOptions } from '../file-server/upload-to-server.js';
import type { Transport } from '../transport.js';
import type { FtpOptions } from './ftp-server.js';
import { parseFtpUrl } from './ftp-url.js';

/** The transport of `ftp:` and `ftps:` (section 1). Its library is loaded with the first transfer. */
export function createFtpTransport(options: FtpOptions & RemoteUploadOptions): Transport {
  const load = async () => (await import('./ftp-server.js')).createFtpServer(options);
  let loading: ReturnType<typeof load> | null = null;
  const once = () => {
    loading ??= load();
    return loading;
  };
  return createServerTransport(['ftp', 'ftps'], parseFtpUrl, once, options);
}
