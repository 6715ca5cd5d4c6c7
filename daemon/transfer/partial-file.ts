import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freeBytes } from '../../src/shared/util/disk.js';
import type { FileFactsWithMd5 } from '../jobs/job.js';
import { firstBytes, skipBytes } from './chunks.js';
import { mapLocalDiskError, outOfSpaceError } from './disk-errors.js';
import { syncFolder } from './folders.js';
import { IncrementalMd5 } from './incremental-md5.js';
import { readChunks } from './read-file.js';
import { createProgressReporter, type ProgressReporter, type Transfer } from './transfer.js';
import { type RemoteOptions, type RetryableTransfer, withRetry } from './with-retry.js';

/** Bytes of one write. Larger ones get large pages, which take seven times as long in some virtual machines (`bench/speed.md`). */
const maxWriteBytes = 1 << 18;

/** Options of a partial file. */
interface PartialFileOptions {
  /** Path of the partial file; by default a short random name in the folder of the final path. */
  readonly partPath?: string;
  /** Whether the finished file must survive a power cut. Scratch files need not. */
  readonly isDurable?: boolean;
  readonly mode?: number;
  /** Gives the finished file its final name; `rename` by default. */
  readonly place?: (partPath: string, finalPath: string) => Promise<void>;
}

/**
 * A short name for a partial file. It is not derived from the final name, which may have the maximum length of the file
 * system.
 */
export function partialFileName(): string {
  return `.venc-${randomBytes(6).toString('hex')}.part`;
}

/**
 * A file that is written under a temporary name, in any order. Its size and MD5 are measured during the writes.
 * `finish` renames it to its final name, `discard` deletes it. One of the two must be called.
 */
export class PartialFile {
  #md5: IncrementalMd5;

  private constructor(
    private readonly handle: FileHandle,
    private readonly partPath: string,
    private readonly isDurable: boolean,
    private readonly place: NonNullable<PartialFileOptions['place']>,
  ) {
    this.#md5 = new IncrementalMd5(handle, partPath);
  }

  /** Creates a partial file for `finalPath`, whose folder must exist. */
  static async create(finalPath: string, options: PartialFileOptions = {}): Promise<PartialFile> {
    const partPath = options.partPath ?? join(dirname(finalPath), partialFileName());
    const handle = await open(partPath, 'wx+', options.mode ?? 0o666);
    return new PartialFile(handle, partPath, options.isDurable ?? false, options.place ?? rename);
  }

  /** Bytes written so far. */
  get sizeBytes(): number {
    return this.#md5.writtenBytes;
  }

  /**
   * Announces the probable size of the file. The MD5 of a large file is then computed by a worker from the first byte
   * on.
   */
  expectSize(bytes: number): void {
    this.#md5.expectSize(bytes);
  }

  /** Size and MD5 of the bytes written so far. No write may be in progress. */
  async facts(): Promise<FileFactsWithMd5> {
    return { sizeBytes: this.#md5.writtenBytes, md5: await this.#md5.digest() };
  }

  /** Appends bytes. The buffer may be used again once this has resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.writeAt([bytes], this.sizeBytes);
  }

  /**
   * Writes chunks one after the other from `position` on. Writes may run concurrently and leave gaps. Later writes must
   * fill all gaps before `finish`.
   */
  async writeAt(chunks: readonly Uint8Array[], position: number): Promise<void> {
    const md5State = this.#md5;
    const pendingWrite = this.#writeFully(chunks, position);
    // Hashing during the disk write hides nearly all of its cost.
    md5State.update(chunks, position);
    md5State.markWritten(position, position + (await pendingWrite));
  }

  /**
   * Deletes all bytes written so far, for a source that changed. No write may be in progress. An empty file is left as
   * it is: ext4 writes a file that was truncated to the disk when it is closed.
   */
  async reset(): Promise<void> {
    if (this.sizeBytes === 0) return;
    await this.#md5.close();
    await this.handle.truncate(0);
    this.#md5 = new IncrementalMd5(this.handle, this.partPath);
  }

  /** Gives the file its final name, replacing an existing file. Deletes the file if that fails. */
  async finish(finalPath: string): Promise<FileFactsWithMd5> {
    try {
      const facts = await this.facts();
      await this.#md5.close();
      if (this.isDurable) await this.handle.sync();
      await this.handle.close();
      await this.place(this.partPath, finalPath);
      if (this.isDurable) await syncFolder(dirname(finalPath));
      return facts;
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  /** Deletes the file. May be called after `finish` failed, and more than once. */
  async discard(): Promise<void> {
    await this.#md5.close();
    await this.handle.close().catch(() => undefined);
    await unlink(this.partPath).catch(() => undefined);
  }

  /** Resolves to the number of bytes. */
  async #writeFully(chunks: readonly Uint8Array[], position: number): Promise<number> {
    let written = 0;
    // The disk may write only a part, usually because it is full.
    for (let rest = skipBytes(chunks, 0); rest.length > 0; rest = skipBytes(chunks, written))
      written += (await this.handle.writev([...firstBytes(rest, maxWriteBytes)], position + written))
        .bytesWritten;
    return written;
  }
}

/**
 * Creates a partial file, lets `fill` write it, and renames it to its final name. If `fill` throws, the file is deleted
 * and the error is rethrown.
 */
async function writeFileAtomically(
  finalPath: string,
  options: PartialFileOptions,
  fill: (partialFile: PartialFile) => Promise<void>,
): Promise<FileFactsWithMd5> {
  const partialFile = await PartialFile.create(finalPath, options);
  try {
    await fill(partialFile);
  } catch (error) {
    await partialFile.discard();
    throw error;
  }
  return partialFile.finish(finalPath);
}

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
): Promise<FileFactsWithMd5> {
  const { size: totalBytes } = await handle.stat();
  if (totalBytes > (await freeBytes(dirname(toPath)))) throw outOfSpaceError();
  const progress = createProgressReporter(transfer);
  const facts = await writeFileAtomically(toPath, options, async (partialFile) => {
    partialFile.expectSize(totalBytes);
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
): Promise<FileFactsWithMd5> {
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
