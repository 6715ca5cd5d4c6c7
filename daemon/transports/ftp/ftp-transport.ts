import { parseRemoteUrl } from '../../transfer/remote-url.js';
import type { RemoteLocation } from '../file-server/file-server.js';
import { createServerTransport } from '../file-server/server-transport.js';
import type { RemoteUploadOptions } from '../file-server/upload-to-server.js';
import type { Transport } from '../transport.js';
import type { FtpOptions } from './ftp-server.js';

/** Creates the transport of `ftp:` and `ftps:` (section 1). Its library is loaded on the first transfer. */
export function createFtpTransport(options: FtpOptions & RemoteUploadOptions): Transport {
  const load = async () => (await import('./ftp-server.js')).createFtpServer(options);
  let loading: ReturnType<typeof load> | null = null;
  const once = () => {
    loading ??= load();
    return loading;
  };
  return createServerTransport(['ftp', 'ftps'], parseFtpUrl, once, options);
}

const ftpPort = 21;
const implicitTlsPort = 990;

/**
 * Parses an `ftp:` or `ftps:` URL. Its path is relative to the initial folder of the user, or to the root if it begins
 * with `//` or `/%2F`. `ftps` always uses TLS: implicit TLS on its own port 990, explicit TLS (`AUTH TLS`) on port 21.
 * On any other port `isImplicitTls` is undefined, and the mode is detected. Returns the validation error as a sentence
 * without subject if the URL is invalid.
 */
function parseFtpUrl(url: string): RemoteLocation | string {
  const parsed = parseRemoteUrl(url);
  if (!parsed.ok) return parsed.validationError;
  const isTls = /^ftps:/i.test(url);
  const port = parsed.port ?? (isTls ? implicitTlsPort : ftpPort);
  const path = `${parsed.isFromRoot ? '/' : ''}${parsed.parts.join('/')}`;
  const parents = parsed.parts.slice(0, -1);
  return {
    ...parsed,
    port,
    path,
    folders: parents.map((_, at) => `${parsed.isFromRoot ? '/' : ''}${parents.slice(0, at + 1).join('/')}`),
    name: `${parsed.host.includes(':') ? `[${parsed.host}]` : parsed.host}:${port}`,
    isTls,
    ...(isTls && (port === implicitTlsPort || port === ftpPort)
      ? { isImplicitTls: port === implicitTlsPort }
      : {}),
  };
}
