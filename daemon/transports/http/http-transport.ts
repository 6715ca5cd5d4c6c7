import type { Transport } from '../transport.js';
import { downloadOverHttp, type HttpOptions } from './download.js';
import { parseHttpUrl } from './http-url.js';
import { sizeOverHttp } from './size-over-http.js';

/** Inputs over `http:` and `https:` (section 1). */
export function createHttpTransport(options: HttpOptions): Transport {
  return {
    schemes: ['http', 'https'],
    // Whether the address may be connected to is asked when it is: a name means something only then.
    async checkInput(url) {
      const parsed = parseHttpUrl(url);
      return parsed.ok ? null : parsed.validationError;
    },
    download: (from, toPath, transfer) => downloadOverHttp(from, toPath, transfer, options),
    sizeOf: (from, signal) => sizeOverHttp(from, signal, options),
  };
}
