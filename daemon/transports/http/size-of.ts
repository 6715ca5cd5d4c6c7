import { VencError } from '../../../src/shared/errors.js';
import { connectTimeoutOf, type RemoteOptions, withoutStall } from '../../transfer/with-retry.js';
import { createGuardedAgent } from './agent.js';
import { ask } from './ask.js';
import { readHttpUrl } from './http-url.js';

/**
 * The size of the file that a download would bring, in bytes; null where the server does not tell. The file is asked for and its body
 * not read: signed addresses allow nothing but that. One attempt; rejects as that of a download would.
 */
export async function sizeOverHttp(
  from: string,
  signal: AbortSignal,
  options: RemoteOptions,
): Promise<number | null> {
  const reading = readHttpUrl(from);
  if (!reading.ok)
    throw new VencError('DownloadFailureError', `The address of the input ${reading.complaint}.`);
  signal.throwIfAborted();
  const agent = createGuardedAgent(options.guard, connectTimeoutOf(options));
  const { stallTimeoutMs } = options;
  const watch = { signal, stallTimeoutMs, direction: 'download', host: reading.url.host } as const;
  let sizeBytes: number | null = null;
  try {
    const trouble = await withoutStall(watch, async (watched) => {
      const answer = await ask(agent, reading, { fromByte: 0, known: null }, watched);
      if (answer.type === 'trouble') return answer.trouble;
      if (answer.type !== 'body') return null;
      answer.body.destroy();
      sizeBytes = answer.file.totalBytes;
      return null;
    });
    if (trouble !== null) throw trouble.error;
    return sizeBytes;
  } finally {
    agent.destroy();
  }
}
