import { downloadOverHttp, type HttpOptions } from './http/download.js';
import { readHttpUrl } from './http/http-url.js';
import { sizeOverHttp } from './http/size-of.js';
import type { Transport } from './transport.js';

/** Inputs over `http:` and `https:` (section 1). */
export function createHttpTransport(options: HttpOptions): Transport {
  return {
    schemes: ['http', 'https'],
    // Whether the address may be connected to is asked when it is: a name means something only then.
    async checkInput(url) {
      const reading = readHttpUrl(url);
      return reading.ok ? null : reading.complaint;
    },
    download: (from, toPath, transfer) => downloadOverHttp(from, toPath, transfer, options),
    sizeOf: (from, signal) => sizeOverHttp(from, signal, options),
  };
}
