import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { FileFacts, FileFactsWithMd5 } from '../jobs/job.js';
import { createProgressReporter, type ProgressReporter, type Transfer } from './transfer.js';

/**
 * 1 MiB. Measured with 512 MB: with this size, reading, hashing and writing in one pass takes as long as hashing (0.8
 * s); with 64 KiB, twice that. Copying first and hashing afterwards takes 1.2 s, and cannot be aborted.
 */
const bufferBytes = 1 << 20;

/** Which part of a file is read, and in which steps. */
interface ReadOptions {
  /** The first byte; 0 by default. */
  readonly fromByte?: number;
  /** The largest chunk, in bytes; 1 MiB by default. */
  readonly chunkBytes?: number;
}

/**
 * Reads an open file to its end, the next chunk while `onChunk` processes one. Each chunk is valid only until `onChunk`
 * resolves. Rejects with the reason of the signal if it is aborted.
 */
export async function readChunks(
  handle: FileHandle,
  onChunk: (chunk: Buffer) => Promise<void> | void,
  signal: AbortSignal,
  { fromByte = 0, chunkBytes = bufferBytes }: ReadOptions = {},
): Promise<void> {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let nextBuffer = Buffer.allocUnsafe(chunkBytes);
  let reading = handle.read(buffer, 0, chunkBytes, fromByte);
  for (let position = fromByte; ; ) {
    const { bytesRead } = await reading;
    signal.throwIfAborted();
    if (bytesRead === 0) return;
    position += bytesRead;
    reading = handle.read(nextBuffer, 0, chunkBytes, position);
    try {
      await onChunk(buffer.subarray(0, bytesRead));
    } catch (error) {
      await reading.catch(() => {});
      throw error;
    }
    [buffer, nextBuffer] = [nextBuffer, buffer];
  }
}

/** Reads an open file and returns its size and MD5. */
export async function measureHandle(
  handle: FileHandle,
  progress: ProgressReporter,
  signal: AbortSignal,
): Promise<FileFactsWithMd5> {
  const { size: totalBytes } = await handle.stat();
  const hash = createHash('md5');
  let sizeBytes = 0;
  await readChunks(
    handle,
    (chunk) => {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      progress.update(sizeBytes, totalBytes);
    },
    signal,
  );
  progress.complete(sizeBytes);
  return { sizeBytes, md5: hash.digest('hex') };
}

/**
 * Returns the size of an open file that is about to be delivered on this machine, and its MD5 if `hasMd5`, once the
 * disk has all of it. The MD5 is computed while the disk writes what is still in memory; if the transfer has it
 * already, the file is not read.
 */
export async function measureAndFlush(
  handle: FileHandle,
  transfer: Transfer,
  hasMd5 = true,
): Promise<FileFacts> {
  const measure = hasMd5 ? knownOrMeasured : sizeOnly;
  const [measured, flushed] = await Promise.allSettled([measure(handle, transfer), handle.sync()]);
  if (measured.status === 'rejected') throw measured.reason;
  if (flushed.status === 'rejected') throw flushed.reason;
  return measured.value;
}

/** The size of an open file, which is not read. */
export async function sizeOnly(handle: FileHandle, transfer: Transfer): Promise<FileFacts> {
  const { size } = await handle.stat();
  createProgressReporter(transfer).complete(size);
  return { sizeBytes: size };
}

async function knownOrMeasured(handle: FileHandle, transfer: Transfer): Promise<FileFacts> {
  const progress = createProgressReporter(transfer);
  const { facts, signal } = transfer;
  if (facts === undefined || facts.sizeBytes !== (await handle.stat()).size)
    return measureHandle(handle, progress, signal);
  progress.complete(facts.sizeBytes);
  return facts;
}

/** Reads the file at a path and returns its size and MD5. */
export async function measureFile(
  path: string,
  progress: ProgressReporter,
  signal: AbortSignal,
): Promise<FileFactsWithMd5> {
  const handle = await open(path, 'r');
  try {
    return await measureHandle(handle, progress, signal);
  } finally {
    await handle.close();
  }
}
