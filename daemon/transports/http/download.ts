import { dirname } from 'node:path';
import { VencError } from '../../../src/api/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { ownDiskFault } from '../disk-faults.js';
import { createMeter } from '../meter.js';
import { writeWhole } from '../part-file.js';
import { connectTimeoutOf, type RemoteOptions, untilDone } from '../remote/attempts.js';
import type { Transfer } from '../transport.js';
import { createGuardedAgent } from './agent.js';
import type { Target } from './ask.js';
import { HttpDownload } from './http-download.js';
import { readHttpUrl } from './http-url.js';

/**
 * Downloads a file over HTTP: resumes what broke off where the server names a version of the file and it is still the same, starts over
 * where not, and tries again with growing delays. One connection; ranges over several would each fill a part of their own in the
 * place of `HttpDownload`.
 */
export async function downloadOverHttp(
  from: string,
  toPath: string,
  transfer: Transfer,
  options: RemoteOptions,
): Promise<FileFacts> {
  const reading = readHttpUrl(from);
  if (!reading.ok)
    throw new VencError('DownloadFailureError', `The address of the input ${reading.complaint}.`);
  return downloadFromTarget(reading, toPath, transfer, options);
}

/** Likewise, from an address that has been read, with what is to be shown there. */
export async function downloadFromTarget(
  target: Target,
  toPath: string,
  transfer: Transfer,
  options: RemoteOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  const { guard, stallTimeoutMs } = options;
  signal.throwIfAborted();
  const agent = await createGuardedAgent(guard, connectTimeoutOf(options));
  const meter = createMeter(transfer);
  try {
    const facts = await writeWhole(toPath, { mode: 0o600 }, async (part) => {
      const parts = { agent, target, part, folder: dirname(toPath), meter, stallTimeoutMs, signal };
      const download = new HttpDownload(parts);
      await untilDone(
        { attempt: () => download.attempt(), furthestBytes: () => download.furthestBytes, signal },
        options,
      );
      signal.throwIfAborted();
    });
    meter.end(facts.sizeBytes);
    return facts;
  } catch (error) {
    signal.throwIfAborted();
    throw ownDiskFault(error, 'download');
  } finally {
    await agent.destroy();
  }
}
