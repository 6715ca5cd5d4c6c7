import { VencError } from '../../../src/shared/errors.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import { missing } from './download-from-server.js';
import type { FileServer } from './file-server.js';
import { inSession } from './with-session.js';

/**
 * The size of a file on a file server, in bytes; null where the server does not tell. One attempt; rejects as that of a
 * download would.
 */
export async function sizeFrom(
  server: FileServer,
  from: string,
  signal: AbortSignal,
  { stallTimeoutMs }: RemoteOptions,
): Promise<number | null> {
  const place = server.read(from);
  if (typeof place === 'string')
    throw new VencError('DownloadFailureError', `The address of the input ${place}.`);
  signal.throwIfAborted();
  let sizeBytes: number | null = null;
  const parts = { server, place, direction: 'download', signal, stallTimeoutMs } as const;
  const trouble = await inSession(parts, async (session) => {
    const facts = await session.stat(place.path);
    if (facts === null) throw missing(place);
    sizeBytes = facts.sizeBytes;
    return null;
  });
  if (trouble !== null) throw trouble.error;
  return sizeBytes;
}
