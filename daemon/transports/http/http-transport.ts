import { VencError } from '../../../src/shared/errors.js';
import type { ContentEncoding } from '../../transfer/decode-file.js';
import { downloadToFile } from '../../transfer/partial-file.js';
import { defaultConnections, type Transfer } from '../../transfer/transfer.js';
import { connectTimeoutOf, type RemoteOptions, withIdleTimeout } from '../../transfer/with-retry.js';
import type { DownloadedFacts, Transport } from '../transport.js';
import { createGuardedAgent } from './guarded-agent.js';
import { HttpDownload } from './http-download.js';
import { parseHttpUrl } from './http-url.js';
import type { RangeThresholds } from './range-scheduler.js';
import { type HttpTarget, requestRange } from './request-range.js';

/** What the HTTP transport needs. */
interface HttpOptions extends RemoteOptions {
  /**
   * When to use several connections; by default for files of 2 MiB and more that would take longer than two seconds.
   */
  readonly ranges?: RangeThresholds;
}

/**
 * Two seconds: a busy server sends no faster over several connections than over one, and looks up the file for each
 * range. With one second, a Swift server that sent 160 MB in 1.5 s took 3 to 5 s in one noisy run.
 */
const defaultThresholds: RangeThresholds = { minRangeBytes: 1 << 20, splitThresholdSeconds: 2 };

/** The transport for `http:` and `https:` inputs (section 1). */
export function createHttpTransport(options: HttpOptions): Transport {
  return {
    schemes: ['http', 'https'],
    // The guard checks the address at connect time: only then does a host name resolve to the address that is used.
    async checkInput(url) {
      const parsed = parseHttpUrl(url);
      return parsed.ok ? null : parsed.validationError;
    },
    download: async (from, toPath, transfer) =>
      downloadFromHttpTarget(targetOf(from), toPath, transfer, options),
    sizeOf: async (from, signal) => fetchSize(targetOf(from), signal, options),
  };
}

function targetOf(url: string): HttpTarget {
  const parsed = parseHttpUrl(url);
  if (parsed.ok) return parsed;
  throw new VencError('DownloadFailureError', `The URL of the input ${parsed.validationError}.`);
}

/**
 * Downloads a file over HTTP. Uses several connections if the server supports ranges and identifies the version of the
 * file. Resumes broken transfers while the file is unchanged, else starts over; retries with growing delays.
 */
export async function downloadFromHttpTarget(
  target: HttpTarget,
  toPath: string,
  transfer: Transfer,
  options: HttpOptions,
): Promise<DownloadedFacts> {
  const { signal } = transfer;
  const { guard, stallTimeoutMs } = options;
  signal.throwIfAborted();
  const agent = createGuardedAgent(guard, connectTimeoutOf(options));
  let encoding: ContentEncoding | null = null;
  try {
    const facts = await downloadToFile(toPath, transfer, options, ({ partialFile, progress }) => {
      const download = new HttpDownload(
        { agent, target },
        {
          ...{ partialFile, toPath, progress, stallTimeoutMs, signal },
          retryDelayMs: options.retryDelayMs ?? 500,
          connections: transfer.connections ?? defaultConnections,
          thresholds: options.ranges ?? defaultThresholds,
        },
      );
      const attempt = async () => {
        const transferError = await download.attempt();
        encoding = download.encoding;
        return transferError;
      };
      return { attempt, highWaterMarkBytes: () => download.highWaterMarkBytes };
    });
    return encoding === null ? facts : { ...facts, encoding };
  } finally {
    agent.destroy();
  }
}

/**
 * The size of the file in bytes; null if the server does not declare it. Requests the file with GET, since signed URLs
 * allow no other method, and does not read the body. Makes one attempt; rejects with the errors of a download.
 */
async function fetchSize(
  target: HttpTarget,
  signal: AbortSignal,
  options: RemoteOptions,
): Promise<number | null> {
  signal.throwIfAborted();
  const agent = createGuardedAgent(options.guard, connectTimeoutOf(options));
  const source = { agent, target, resolved: null };
  const { stallTimeoutMs } = options;
  const watchdogOptions = { signal, stallTimeoutMs, direction: 'download', host: target.url.host } as const;
  let sizeBytes: number | null = null;
  try {
    const transferError = await withIdleTimeout(watchdogOptions, async (watchdog) => {
      const response = await requestRange(source, { fromByte: 0, known: null }, watchdog);
      if (response.type === 'failed') return response.transferError;
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
