import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileFacts } from '../jobs/job.js';
import { freeBytes } from './folders.js';
import { outOfSpaceError } from './map-disk-error.js';
import { writeWhole } from './partial-file.js';
import { createMeter } from './progress-reporter.js';
import { readThrough } from './read-file.js';
import type { Transfer } from './transfer.js';

/** How a copy is made. */
export interface CopyOptions {
  readonly transfer: Transfer;
  /** Whether the copy must survive a power cut. */
  readonly isDurable?: boolean;
}

/**
 * Copies an open file to a path whose folder exists, measuring the bytes as they pass. Nothing stands at the path before the copy is
 * whole, and nothing is left where it fails. `OutOfSpaceError` at the beginning where there is too little room.
 */
export async function copyFrom(
  handle: FileHandle,
  toPath: string,
  { transfer, isDurable = false }: CopyOptions,
): Promise<FileFacts> {
  const { size: totalBytes } = await handle.stat();
  if (totalBytes > (await freeBytes(dirname(toPath)))) throw outOfSpaceError();
  const meter = createMeter(transfer);
  const facts = await writeWhole(toPath, { isDurable }, async (part) => {
    await readThrough(
      handle,
      async (piece) => {
        await part.write(piece);
        meter.at(part.sizeBytes, totalBytes);
      },
      transfer.signal,
    );
    transfer.signal.throwIfAborted();
  });
  meter.end(facts.sizeBytes);
  return facts;
}
