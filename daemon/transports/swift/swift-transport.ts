import { VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf } from '../../transfer/transfer-error.js';
import { connectTimeoutOf } from '../../transfer/with-retry.js';
import type { Transport } from '../transport.js';
import { downloadFromSwift } from './download.js';
import { readObjectState, removeFromSwift, removeSwiftOrphan } from './segments.js';
import { objectNotFoundError } from './swift-errors.js';
import type { SwiftOptions } from './swift-options.js';
import { SwiftSession } from './swift-session.js';
import { parseSwiftUrl } from './swift-url.js';
import { TokenCache } from './token-cache.js';
import { uploadToSwift } from './upload.js';

/**
 * Files in containers of OpenStack Swift, and of what was Cloud Files: `cf://user:apikey@container/object` (section 1; contract, section
 * 9), by v1 authentication at the address of the configuration. Grants are accepted and change nothing: only containers have them there.
 */
export function createSwiftTransport(options: SwiftOptions): Transport {
  const tokenCache = new TokenCache(options.guardFor, connectTimeoutOf(options));
  const validationError = async (url: string): Promise<string | null> => {
    const location = parseSwiftUrl(url, options.service);
    return typeof location === 'string' ? location : null;
  };
  const withSwiftSession = async <Result>(
    url: string,
    direction: Direction,
    work: (session: SwiftSession) => Promise<Result>,
  ): Promise<Result> => {
    const location = parseSwiftUrl(url, options.service);
    if (typeof location === 'string') {
      const subject = direction === 'download' ? 'The URL of the input' : 'The destination';
      throw new VencError(errorClassOf('failure', direction), `${subject} ${location}.`);
    }
    const session = new SwiftSession(tokenCache, location, direction, options);
    try {
      return await work(session);
    } finally {
      session.close();
    }
  };
  const neverAborted = () => new AbortController().signal;
  return {
    schemes: ['cf'],
    checkInput: validationError,
    checkOutput: validationError,
    download: (from, toPath, transfer) =>
      withSwiftSession(from, 'download', (session) => downloadFromSwift(session, toPath, transfer, options)),
    upload: (fromPath, to, transfer) =>
      withSwiftSession(to, 'upload', (session) => uploadToSwift(session, fromPath, to, transfer, options)),
    remove: (url) => withSwiftSession(url, 'upload', (session) => removeFromSwift(session, neverAborted())),
    removeOrphan: (orphan) =>
      withSwiftSession(orphan.url, 'upload', (session) => removeSwiftOrphan(session, orphan, neverAborted())),
    sizeOf: (from, signal) =>
      withSwiftSession(from, 'download', async (session) => {
        const objectState = await readObjectState(session, signal);
        if (objectState !== null) return objectState.sizeBytes;
        const { container, object, authUrl } = session.location;
        throw objectNotFoundError({ host: authUrl.host, container, object, direction: 'download' }).error;
      }),
  };
}
