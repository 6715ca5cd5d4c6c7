import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileFacts } from '../jobs/job.js';
import { totalByteLength } from './chunks.js';
import { syncFolder } from './folders.js';
import { IncrementalMd5 } from './incremental-md5.js';

/** How an unfinished file is kept. */
export interface PartialFileOptions {
  /** Path of the unfinished file; a short random name beside the final one where it is not given. */
  readonly partPath?: string;
  /** Whether the file must survive a power cut once it is finished. Scratch files need not. */
  readonly isDurable?: boolean;
  readonly mode?: number;
}

/** A short name for an unfinished file: final names may already be as long as the file system allows. */
export function partialFileName(): string {
  return `.venc-${randomBytes(6).toString('hex')}.part`;
}

/**
 * A file on its way to its final name. Its bytes are written under another name, in order or in any, and measured as they pass;
 * `finish` gives it the final name, `discard` leaves nothing of it. One of the two must be called.
 */
export class PartialFile {
  #md5: IncrementalMd5;

  private constructor(
    private readonly handle: FileHandle,
    private readonly partPath: string,
    private readonly isDurable: boolean,
  ) {
    this.#md5 = new IncrementalMd5(handle, partPath);
  }

  /** Begins a file that is to stand at `finalPath`, in a folder that exists. */
  static async create(finalPath: string, options: PartialFileOptions = {}): Promise<PartialFile> {
    const partPath = options.partPath ?? join(dirname(finalPath), partialFileName());
    const handle = await open(partPath, 'wx+', options.mode ?? 0o666);
    return new PartialFile(handle, partPath, options.isDurable ?? false);
  }

  /** Bytes written so far. */
  get sizeBytes(): number {
    return this.#md5.writtenBytes;
  }

  /** So many bytes are to come in all, most likely: of many, the sum is made by another thread from the first one on. */
  expectSize(bytes: number): void {
    this.#md5.expectSize(bytes);
  }

  /** Size and MD5 of what was written so far, in order. No write may be under way. */
  async facts(): Promise<FileFacts> {
    return { sizeBytes: this.#md5.writtenBytes, md5: await this.#md5.digest() };
  }

  /** Appends bytes. The buffer may be used again once this has resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.writeAt([bytes], this.sizeBytes);
  }

  /**
   * Writes pieces one after the other from `at` on. Writes may be under way side by side, and leave gaps that later ones fill: when the file
   * is finished there must be none.
   */
  async writeAt(chunks: readonly Uint8Array[], position: number): Promise<void> {
    const md5State = this.#md5;
    const pendingWrite = this.#writeFully(chunks, position);
    // Summing while the disk writes hides nearly all of the cost of the sum.
    md5State.update(chunks, position);
    md5State.markWritten(position, position + (await pendingWrite));
  }

  /** Forgets all that was written, for a source that changed in between. No write may be under way. */
  async reset(): Promise<void> {
    await this.#md5.close();
    await this.handle.truncate(0);
    this.#md5 = new IncrementalMd5(this.handle, this.partPath);
  }

  /** Gives the file its final name, replacing what stands there. Nothing is left of it where that fails. */
  async finish(finalPath: string): Promise<FileFacts> {
    try {
      const facts = await this.facts();
      await this.#md5.close();
      if (this.isDurable) await this.handle.sync();
      await this.handle.close();
      await rename(this.partPath, finalPath);
      if (this.isDurable) await syncFolder(dirname(finalPath));
      return facts;
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  /** Leaves nothing of the file. May be called after `finish` failed, and twice. */
  async discard(): Promise<void> {
    await this.#md5.close();
    await this.handle.close().catch(() => undefined);
    await unlink(this.partPath).catch(() => undefined);
  }

  /** Resolves to the number of bytes. */
  async #writeFully(chunks: readonly Uint8Array[], position: number): Promise<number> {
    const sizeBytes = totalByteLength(chunks);
    if (sizeBytes === 0) return 0;
    let { bytesWritten } = await this.handle.writev([...chunks], position);
    if (bytesWritten === sizeBytes) return sizeBytes;
    // A disk that takes a part of it, which is rare: mostly there is no room for the rest.
    for (const bytes = Buffer.concat(chunks); bytesWritten < sizeBytes; ) {
      const remainingBytes = sizeBytes - bytesWritten;
      bytesWritten += (await this.handle.write(bytes, bytesWritten, remainingBytes, position + bytesWritten))
        .bytesWritten;
    }
    return sizeBytes;
  }
}

/**
 * Has a file written under another name and gives it its final one once it is whole. What `fill` throws is thrown on, and nothing is
 * left of the file then.
 */
export async function writeFileAtomically(
  finalPath: string,
  options: PartialFileOptions,
  fill: (partialFile: PartialFile) => Promise<void>,
): Promise<FileFacts> {
  const partialFile = await PartialFile.create(finalPath, options);
  try {
    await fill(partialFile);
  } catch (error) {
    await partialFile.discard();
    throw error;
  }
  return partialFile.finish(finalPath);
}
