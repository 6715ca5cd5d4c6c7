import { isVencError, VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import type { Transfer } from '../../transfer/transfer.js';
import { downloadFromHttpTarget } from '../http/http-transport.js';
import { objectNotFoundError } from './swift-errors.js';
import type { SwiftOptions } from './swift-options.js';
import type { SwiftSession } from './swift-session.js';
import { swiftPath } from './swift-url.js';
import type { SwiftAccount } from './token-cache.js';

/**
 * Downloads an object as any file of the web: in ranges, resumed, its size checked. The token goes to the storage alone; one that is good
 * no more is renewed once.
 */
export async function downloadFromSwift(
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
