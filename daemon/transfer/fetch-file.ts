import type { FileFacts } from '../jobs/job.js';
import { ownDiskFault } from './map-disk-error.js';
import { type PartFile, writeWhole } from './partial-file.js';
import { createMeter, type Meter } from './progress-reporter.js';
import type { Transfer } from './transfer.js';
import { type Attempts, type RemoteOptions, untilDone } from './with-retry.js';

/** What attempts to bring a file work with. */
export interface Bringing {
  readonly part: PartFile;
  readonly meter: Meter;
}

/**
 * Brings a file to a path in as many attempts as it takes: under another name until it is whole, for the eyes of this user alone. Rejects
 * with the last trouble, with the fault of our own disk, or with the reason of the signal; nothing is left then.
 */
export async function bringWhole(
  toPath: string,
  transfer: Transfer,
  options: RemoteOptions,
  begin: (bringing: Bringing) => Omit<Attempts, 'signal'>,
): Promise<FileFacts> {
  const { signal } = transfer;
  const meter = createMeter(transfer);
  try {
    const facts = await writeWhole(toPath, { mode: 0o600 }, async (part) => {
      await untilDone({ ...begin({ part, meter }), signal }, options);
      signal.throwIfAborted();
    });
    meter.end(facts.sizeBytes);
    return facts;
  } catch (error) {
    signal.throwIfAborted();
    throw ownDiskFault(error, 'download');
  }
}
