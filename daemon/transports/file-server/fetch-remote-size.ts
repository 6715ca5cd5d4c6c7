import { VencError } from '../../../src/shared/errors.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import { fileNotFoundError } from './download-from-server.js';
import type { FileServer } from './file-server.js';
import { withSession } from './with-session.js';

/**
 * The size of a file on a file server, in bytes; null where the server does not tell. One attempt; rejects as that of a
 * download would.
 */
export async function fetchRemoteSize(
  server: FileServer,
  from: string,
  signal: AbortSignal,
  { stallTimeoutMs }: RemoteOptions,
): Promise<number | null> {
  const location = server.parseUrl(from);
  if (typeof location === 'string')
    throw new VencError('DownloadFailureError', `The address of the input ${location}.`);
  signal.throwIfAborted();
  let sizeBytes: number | null = null;
  const sessionOptions = { server, location, direction: 'download', signal, stallTimeoutMs } as const;
  const transferError = await withSession(sessionOptions, async (session) => {
    const facts = await session.stat(location.path);
    if (facts === null) throw fileNotFoundError(location);
    sizeBytes = facts.sizeBytes;
    return null;
  });
  if (transferError !== null) throw transferError.error;
  return sizeBytes;
}
