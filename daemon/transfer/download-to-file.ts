import type { FileFacts } from '../jobs/job.js';
import { mapLocalDiskError } from './disk-errors.js';
import { type PartialFile, writeFileAtomically } from './partial-file.js';
import { createProgressReporter, type ProgressReporter, type Transfer } from './transfer.js';
import { type RemoteOptions, type RetryableTransfer, withRetry } from './with-retry.js';

/** The file and the progress of a download, shared by all of its attempts. */
interface DownloadContext {
  readonly partialFile: PartialFile;
  readonly progress: ProgressReporter;
}

/**
 * Downloads a file to a path, with retries. The file has a temporary name until it is complete, and only this user can
 * read it. Rejects with the last transfer error, with an error of the local disk, or with the reason of the signal. No
 * partial file is left then.
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
