import { readRemoteUrl } from '../../transfer/remote-url.js';
import type { RemotePlace } from '../file-server/file-server.js';

const ftpPort = 21;
const implicitTlsPort = 990;

/**
 * Reads an `ftp:` or `ftps:` URL. Its path begins at the folder that the user lands in, with `//` or `/%2F` in front at the root.
 * `ftps` is encrypted in any case: from the first byte on port 990, which is its own; on port 21 after a word in the clear; on any other
 * port as the server there has it, which `isImplicitTls` leaves open.
 */
export function readFtpUrl(url: string): RemotePlace | string {
  const reading = readRemoteUrl(url);
  if (!reading.ok) return reading.complaint;
  const isTls = /^ftps:/i.test(url);
  const port = reading.port ?? (isTls ? implicitTlsPort : ftpPort);
  const path = `${reading.isFromRoot ? '/' : ''}${reading.parts.join('/')}`;
  const above = reading.parts.slice(0, -1);
  return {
    ...reading,
    port,
    path,
    folders: above.map((_, at) => `${reading.isFromRoot ? '/' : ''}${above.slice(0, at + 1).join('/')}`),
    name: `${reading.host.includes(':') ? `[${reading.host}]` : reading.host}:${port}`,
    isTls,
    ...(isTls && (port === implicitTlsPort || port === ftpPort)
      ? { isImplicitTls: port === implicitTlsPort }
      : {}),
  };
}
