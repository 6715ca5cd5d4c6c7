import type { FileFacts } from '../jobs/job.js';
import { mapLocalDiskError } from './disk-errors.js';
import { type PartialFile, writeFileAtomically } from './partial-file.js';
import { createProgressReporter, type ProgressReporter, type Transfer } from './transfer.js';
import { type RemoteOptions, type RetryableTransfer, withRetry } from './with-retry.js';

/** What attempts to bring a file work with. */
export interface DownloadContext {
  readonly partialFile: PartialFile;
  readonly progress: ProgressReporter;
}

/**
 * Brings a file to a path in as many attempts as it takes: under another name until it is whole, for the eyes of this user alone. Rejects
 * with the last trouble, with the fault of our own disk, or with the reason of the signal; nothing is left then.
 */
export async function downloadToFile(
  toPath: string,
  transfer: Transfer,
  options: RemoteOptions,
  startTransfer: (context: DownloadContext) => Omit<RetryableTransfer, 'signal'>,
): Promise<FileFacts> {
  const { signal } = transfer;
  const progress = createProgressReporter(transfer);
  try {
    const facts = await writeFileAtomically(toPath, { mode: 0o600 }, async (partialFile) => {
      await withRetry({ ...startTransfer({ partialFile, progress }), signal }, options);
      signal.throwIfAborted();
    });
    progress.complete(facts.sizeBytes);
    return facts;
  } catch (error) {
    signal.throwIfAborted();
    throw mapLocalDiskError(error, 'download');
  }
}
