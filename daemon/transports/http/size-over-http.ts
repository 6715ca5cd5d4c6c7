import { VencError } from '../../../src/shared/errors.js';
import { connectTimeoutOf, type RemoteOptions, withIdleTimeout } from '../../transfer/with-retry.js';
import { createGuardedAgent } from './guarded-agent.js';
import { parseHttpUrl } from './http-url.js';
import { requestFile } from './request-file.js';

/**
 * The size of the file that a download would bring, in bytes; null where the server does not tell. The file is asked for and its body
 * not read: signed addresses allow nothing but that. One attempt; rejects as that of a download would.
 */
export async function sizeOverHttp(
  from: string,
  signal: AbortSignal,
  options: RemoteOptions,
): Promise<number | null> {
  const parsed = parseHttpUrl(from);
  if (!parsed.ok)
    throw new VencError('DownloadFailureError', `The address of the input ${parsed.validationError}.`);
  signal.throwIfAborted();
  const agent = createGuardedAgent(options.guard, connectTimeoutOf(options));
  const { stallTimeoutMs } = options;
  const watchdogOptions = { signal, stallTimeoutMs, direction: 'download', host: parsed.url.host } as const;
  let sizeBytes: number | null = null;
  try {
    const transferError = await withIdleTimeout(watchdogOptions, async (watchdog) => {
      const response = await requestFile(agent, parsed, { fromByte: 0, known: null }, watchdog);
      if (response.type === 'trouble') return response.transferError;
      if (response.type !== 'body') return null;
      response.body.destroy();
      sizeBytes = response.file.totalBytes;
      return null;
    });
    if (transferError !== null) throw transferError.error;
    return sizeBytes;
  } finally {
    agent.destroy();
  }
}
