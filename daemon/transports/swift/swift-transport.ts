import { isVencError, VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import type { Direction } from '../../transfer/disk-errors.js';
import type { Transfer } from '../../transfer/transfer.js';
import { requireLocation } from '../../transfer/transfer-error.js';
import { connectTimeoutOf } from '../../transfer/with-retry.js';
import { downloadFromHttpTarget } from '../http/http-transport.js';
import type { Transport } from '../transport.js';
import { readObjectState, removeFromSwift, removeSwiftOrphan } from './segments.js';
import { objectNotFoundError } from './send-swift-request.js';
import { type SwiftOptions, SwiftSession } from './swift-session.js';
import { parseSwiftUrl, swiftPath } from './swift-url.js';
import { type SwiftAccount, TokenCache } from './token-cache.js';
import { uploadToSwift } from './upload.js';

/**
 * Creates the transport of OpenStack Swift (formerly Cloud Files): `cf://user:apikey@container/object` (section 1;
 * contract, section 9). It uses v1 authentication at the configured URL. Grants are accepted but have no effect,
 * because in Swift only containers have them.
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
    const location = requireLocation(parseSwiftUrl(url, options.service), direction);
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
    remove: (url) =>
      withSwiftSession(url, 'upload', (session) =>
        removeFromSwift(session, options.cleanupEnd ?? neverAborted()),
      ),
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

/**
 * Downloads an object like any HTTP file: in ranges, with resume and a check of the size. The token is sent only to the
 * storage host. An expired token is renewed once.
 */
async function downloadFromSwift(
  session: SwiftSession,
  toPath: string,
  transfer: Transfer,
  options: SwiftOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  const { container, object } = session.location;
  signal.throwIfAborted();
  const attempt = ({ storageUrl, token, exemptHosts }: SwiftAccount): Promise<FileFacts> => {
    const url = new URL(`${storageUrl.origin}${storageUrl.pathname}${swiftPath(container, object)}`);
    const guard = options.guardFor(exemptHosts);
    const target = { url, credentials: null, headers: { 'x-auth-token': token } };
    return downloadFromHttpTarget(target, toPath, transfer, { ...options, guard });
  };
  const account = await session.account(signal);
  try {
    return await attempt(account).catch(async (error: unknown) => {
      if (!isVencError(error) || error.errorClass !== 'InvalidUsernameOrPasswordError') throw error;
      session.forget(account);
      return attempt(await session.account(signal));
    });
  } catch (error) {
    if (!isVencError(error) || error.errorClass !== 'FileNotFoundError') throw error;
    const { host } = account.storageUrl;
    const { message } = objectNotFoundError({ host, container, object, direction: 'download' }).error;
    throw new VencError('FileNotFoundError', message, { cause: error });
  }
}
