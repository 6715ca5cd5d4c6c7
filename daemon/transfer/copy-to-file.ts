import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileFacts } from '../jobs/job.js';
import { outOfSpaceError } from './disk-errors.js';
import { freeBytes } from './folders.js';
import { writeFileAtomically } from './partial-file.js';
import { readChunks } from './read-file.js';
import { createProgressReporter, type Transfer } from './transfer.js';

/** How a copy is made. */
export interface CopyToFileOptions {
  readonly transfer: Transfer;
  /** Whether the copy must survive a power cut. */
  readonly isDurable?: boolean;
}

/**
 * Copies an open file to a path whose folder exists, measuring the bytes as they pass. Nothing stands at the path before the copy is
 * whole, and nothing is left where it fails. `OutOfSpaceError` at the beginning where there is too little room.
 */
export async function copyToFile(
  handle: FileHandle,
  toPath: string,
  { transfer, isDurable = false }: CopyToFileOptions,
): Promise<FileFacts> {
  const { size: totalBytes } = await handle.stat();
  if (totalBytes > (await freeBytes(dirname(toPath)))) throw outOfSpaceError();
  const progress = createProgressReporter(transfer);
  const facts = await writeFileAtomically(toPath, { isDurable }, async (partialFile) => {
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
