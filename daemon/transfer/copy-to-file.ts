import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { freeBytes } from '../../src/shared/util/disk.js';
import type { FileFacts } from '../jobs/job.js';
import { outOfSpaceError } from './disk-errors.js';
import { type PartialFileOptions, writeFileAtomically } from './partial-file.js';
import { readChunks } from './read-file.js';
import { createProgressReporter, type Transfer } from './transfer.js';

/** Options of a copy. */
interface CopyToFileOptions {
  readonly transfer: Transfer;
  /** Whether the copy must survive a power cut. */
  readonly isDurable?: boolean;
  /** See `PartialFileOptions`. */
  readonly place?: NonNullable<PartialFileOptions['place']>;
}

/**
 * Copies an open file to a path in an existing folder, and measures its size and MD5. The path appears only when the
 * copy is complete; if copying fails, no partial file is left. Rejects with `OutOfSpaceError` before it starts if the
 * file does not fit.
 */
export async function copyToFile(
  handle: FileHandle,
  toPath: string,
  { transfer, ...options }: CopyToFileOptions,
): Promise<FileFacts> {
  const { size: totalBytes } = await handle.stat();
  if (totalBytes > (await freeBytes(dirname(toPath)))) throw outOfSpaceError();
  const progress = createProgressReporter(transfer);
  const facts = await writeFileAtomically(toPath, options, async (partialFile) => {
    await readChunks(
      handle,
      async (chunk) => {
        await partialFile.write(chunk);
        progress.update(partialFile.sizeBytes, totalBytes);
      },
      transfer.signal,
    );
    transfer.signal.throwIfAborted();
  });
  progress.complete(facts.sizeBytes);
  return facts;
}
