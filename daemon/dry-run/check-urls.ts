import { type HostKind, parseRemoteUrl } from '../transfer/remote-url.js';
import { parseHttpUrl } from '../transports/http/http-url.js';
import type { Transport } from '../transports/transport.js';

/** Why a URL cannot be used; null where it can. */
type Check = NonNullable<Transport['checkInput']>;

const rejectTransfer = () => Promise.reject(new TypeError('a plan moves nothing'));

const checkHttp: Check = async (url) => {
  const parsed = parseHttpUrl(url);
  return parsed.ok ? null : parsed.validationError;
};

const checkRemote =
  (kind: HostKind): Check =>
  async (url) => {
    const parsed = parseRemoteUrl(url, kind);
    return parsed.ok ? null : parsed.validationError;
  };

const bidirectional = (schemes: readonly string[], check: Check): Transport => ({
  schemes,
  checkInput: check,
  checkOutput: check,
  download: rejectTransfer,
  upload: rejectTransfer,
});

/** The schemes of networks, for a plan: addresses are judged by their form, and what would move files is not even loaded. */
export const offlineTransports: readonly Transport[] = [
  { schemes: ['http', 'https'], checkInput: checkHttp, download: rejectTransfer },
  { schemes: ['fasp'], checkInput: checkRemote('host'), download: rejectTransfer },
  bidirectional(['ftp', 'ftps', 'sftp'], checkRemote('host')),
  bidirectional(['s3', 'gcs', 'cf'], checkRemote('bucket')),
];
