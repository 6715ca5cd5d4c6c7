import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { FileFacts } from '../../../daemon/jobs/job.js';
import { createSsrfGuard, type SsrfGuardOptions } from '../../../daemon/net/ssrf-guard.js';
import { createHttpTransport } from '../../../daemon/transports/http/http-transport.js';
import type { RangeThresholds } from '../../../daemon/transports/http/range-scheduler.js';
import { contentsOf, scratchFolder, transferOf } from '../../contracts/transport/evidence.js';
import { type HttpSource, type SourceOptions, startHttpSource } from '../../helpers/servers/http-source.js';

/** Options of a test download. */
export interface TryOptions {
  readonly stallTimeoutMs?: number;
  readonly guard?: Partial<SsrfGuardOptions>;
  readonly signal?: AbortSignal;
  readonly connections?: number;
  readonly ranges?: RangeThresholds;
}

/** A download into a new folder: its result, and the files in the folder afterwards. */
export async function tryDownload(url: string, options: TryOptions = {}): Promise<FileFacts> {
  const transport = createHttpTransport({
    guard: createSsrfGuard({ allowPrivateNetwork: true, ...options.guard }),
    stallTimeoutMs: options.stallTimeoutMs ?? 5_000,
    retryDelayMs: 1,
    ...(options.ranges === undefined ? {} : { ranges: options.ranges }),
  });
  const folder = scratchFolder();
  const transfer = transferOf({
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.connections === undefined ? {} : { connections: options.connections }),
  });
  try {
    const facts = await transport.download?.(url, join(folder, 'in'), transfer);
    if (facts === undefined) throw new TypeError('http downloads');
    return facts;
  } catch (error) {
    if (contentsOf(folder).length > 0) throw new Error('files were left behind', { cause: error });
    throw error;
  }
}

/** Runs a test against its own server, which is closed afterwards. */
export async function withSource(
  answer: (...parts: [...Parameters<RequestListener>, number]) => void,
  work: (source: HttpSource) => Promise<void>,
  options?: SourceOptions,
): Promise<void> {
  const source = await startHttpSource(answer, options);
  try {
    await work(source);
  } finally {
    await source.close();
  }
}

/** MD5 from Node, independent of our implementation. */
export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
