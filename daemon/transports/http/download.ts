import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VencError } from '../../../src/api/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { ownDiskFault } from '../disk-faults.js';
import type { Guard } from '../guard.js';
import { createMeter } from '../meter.js';
import { writeWhole } from '../part-file.js';
import type { Transfer } from '../transport.js';
import { createGuardedAgent } from './agent.js';
import { HttpDownload } from './http-download.js';
import { readHttpUrl } from './http-url.js';
import { createPatience, type Patience } from './patience.js';

/** What downloads over HTTP depend on. */
export interface HttpOptions {
  readonly guard: Guard;
  /** How long nothing may arrive before an attempt is given up, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** How long to wait before the first new attempt, in milliseconds; half a second where it is not given. */
  readonly retryDelayMs?: number;
}

/** Two attempts to connect, and what lies between, stay below the 20 seconds of the contract. */
const maxConnectTimeoutMs = 8_000;

/**
 * Downloads a file over HTTP: resumes what broke off where the server names a version of the file and it is still the same, starts over
 * where not, and tries again with growing delays. One connection; ranges over several would each fill a part of their own in the
 * place of `HttpDownload`.
 */
export async function downloadOverHttp(
  from: string,
  toPath: string,
  transfer: Transfer,
  { guard, stallTimeoutMs, retryDelayMs = 500 }: HttpOptions,
): Promise<FileFacts> {
  const reading = readHttpUrl(from);
  if (!reading.ok)
    throw new VencError('DownloadFailureError', `The address of the input ${reading.complaint}.`);
  const { signal } = transfer;
  signal.throwIfAborted();
  // Shorter than a stall, so that each of the two is told as what it is.
  const connectTimeoutMs = Math.min(maxConnectTimeoutMs, stallTimeoutMs / 2);
  const agent = await createGuardedAgent(guard, connectTimeoutMs);
  const meter = createMeter(transfer);
  try {
    const facts = await writeWhole(toPath, { mode: 0o600 }, async (part) => {
      const patience = createPatience({
        stallTimeoutMs,
        connectTimeoutMs,
        retryDelayMs,
        clock: () => performance.now(),
      });
      const parts = { agent, target: reading, part, folder: dirname(toPath), meter, stallTimeoutMs, signal };
      await untilWhole(new HttpDownload(parts), patience, signal);
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

async function untilWhole(download: HttpDownload, patience: Patience, signal: AbortSignal): Promise<void> {
  for (;;) {
    const before = download.furthestBytes;
    const trouble = await download.attempt();
    if (trouble === null) return;
    if (download.furthestBytes > before) patience.progressed();
    const delayMs = patience.next(trouble);
    if (delayMs === null) throw trouble.error;
    await sleep(delayMs, undefined, { signal });
  }
}
