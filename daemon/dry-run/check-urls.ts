import { type HostKind, parseRemoteUrl } from '../transfer/remote-url.js';
import { parseHttpUrl } from '../transports/http/http-url.js';
import type { Transport } from '../transports/transport.js';

/** Why a URL cannot be used; null where it can. */
type Check = NonNullable<Transport['checkInput']>;

const refuse = () => Promise.reject(new TypeError('a plan moves nothing'));

const checkHttp: Check = async (url) => {
  const reading = parseHttpUrl(url);
  return reading.ok ? null : reading.validationError;
};

const checkRemote =
  (kind: HostKind): Check =>
  async (url) => {
    const reading = parseRemoteUrl(url, kind);
    return reading.ok ? null : reading.validationError;
  };

const bothWays = (schemes: readonly string[], check: Check): Transport => ({
  schemes,
  checkInput: check,
  checkOutput: check,
  download: refuse,
  upload: refuse,
});

/** The schemes of networks, for a plan: addresses are judged by their form, and what would move files is not even loaded. */
export const unreachedTransports: readonly Transport[] = [
  { schemes: ['http', 'https'], checkInput: checkHttp, download: refuse },
  { schemes: ['fasp'], checkInput: checkRemote('host'), download: refuse },
  bothWays(['ftp', 'ftps', 'sftp'], checkRemote('host')),
  bothWays(['s3', 'gcs', 'cf'], checkRemote('bucket')),
];
