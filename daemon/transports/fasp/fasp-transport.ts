import type { Transport } from '../transport.js';
import { downloadWithAscp, type FaspOptions, validateFaspUrl } from './download.js';

/**
 * Inputs from servers of Aspera: `fasp://user:password@host/path` (section 1), by the program `ascp` where it is installed; where it is
 * not, they are refused at creation (contract, section 9).
 */
export function createFaspTransport(options: FaspOptions): Transport {
  return {
    schemes: ['fasp'],
    checkInput: (url) => validateFaspUrl(url, options),
    download: (from, toPath, transfer) => downloadWithAscp(from, toPath, transfer, options),
  };
}
