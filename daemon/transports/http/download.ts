import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { defaultConnections } from '../../transfer/default-connections.js';
import { downloadToFile } from '../../transfer/download-to-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { connectTimeoutOf, type RemoteOptions } from '../../transfer/with-retry.js';
import { createGuardedAgent } from './guarded-agent.js';
import { HttpDownload, type RangeThresholds } from './http-download.js';
import { parseHttpUrl } from './http-url.js';
import type { HttpTarget } from './request-file.js';

/** What the transport for HTTP depends on. */
export interface HttpOptions extends RemoteOptions {
  /** When a file is brought over several connections; large files that would take more than two seconds where it is not given. */
  readonly ranges?: RangeThresholds;
}

/**
 * Two seconds: a server that is busy on its own side brings no more over several connections than over one, and finds the file anew for each
 * part. With one second, a Swift that brought 160 MB in 1.5 s once took 3 to 5 s, in one noisy run.
 */
const defaultThresholds: RangeThresholds = { minRangeBytes: 1 << 20, splitThresholdSeconds: 2 };

/**
 * Downloads a file over HTTP: over several connections where the server gives parts and names a version of the file, resuming what broke
 * off while it is still the same, starting over where not, and trying again with growing delays.
 */
export async function downloadOverHttp(
  from: string,
  toPath: string,
  transfer: Transfer,
  options: HttpOptions,
): Promise<FileFacts> {
  const parsed = parseHttpUrl(from);
  if (!parsed.ok)
    throw new VencError('DownloadFailureError', `The address of the input ${parsed.validationError}.`);
  return downloadFromHttpTarget(parsed, toPath, transfer, options);
}

/** Likewise, from an address that has been read, with what is to be shown there. */
export async function downloadFromHttpTarget(
  target: HttpTarget,
  toPath: string,
  transfer: Transfer,
  options: HttpOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  const { guard, stallTimeoutMs } = options;
  signal.throwIfAborted();
  const agent = createGuardedAgent(guard, connectTimeoutOf(options));
  try {
    return await downloadToFile(toPath, transfer, options, ({ partialFile, progress }) => {
      const download = new HttpDownload({
        ...{ agent, target, partialFile, toPath, progress, stallTimeoutMs, signal },
        retryDelayMs: options.retryDelayMs ?? 500,
        connections: transfer.connections ?? defaultConnections,
        thresholds: options.ranges ?? defaultThresholds,
      });
      return { attempt: () => download.attempt(), highWaterMarkBytes: () => download.highWaterMarkBytes };
    });
  } finally {
    agent.destroy();
  }
}
