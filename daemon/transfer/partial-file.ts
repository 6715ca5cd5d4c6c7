import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileFacts } from '../jobs/job.js';
import { bytesOf } from './chunks.js';
import { syncFolder } from './folders.js';
import { InOrderSum } from './incremental-md5.js';

/** How an unfinished file is kept. */
export interface PartOptions {
  /** Path of the unfinished file; a short random name beside the final one where it is not given. */
  readonly partPath?: string;
  /** Whether the file must survive a power cut once it is finished. Scratch files need not. */
  readonly isDurable?: boolean;
  readonly mode?: number;
}

/** A short name for an unfinished file: final names may already be as long as the file system allows. */
export function partName(): string {
  return `.venc-${randomBytes(6).toString('hex')}.part`;
}

/**
 * A file on its way to its final name. Its bytes are written under another name, in order or in any, and measured as they pass;
 * `finish` gives it the final name, `discard` leaves nothing of it. One of the two must be called.
 */
export class PartFile {
  #sum: InOrderSum;

  private constructor(
    private readonly handle: FileHandle,
    private readonly partPath: string,
    private readonly isDurable: boolean,
  ) {
    this.#sum = new InOrderSum(handle, partPath);
  }

  /** Begins a file that is to stand at `finalPath`, in a folder that exists. */
  static async begin(finalPath: string, options: PartOptions = {}): Promise<PartFile> {
    const partPath = options.partPath ?? join(dirname(finalPath), partName());
    const handle = await open(partPath, 'wx+', options.mode ?? 0o666);
    return new PartFile(handle, partPath, options.isDurable ?? false);
  }

  /** Bytes written so far. */
  get sizeBytes(): number {
    return this.#sum.writtenBytes;
  }

  /** So many bytes are to come in all, most likely: of many, the sum is made by another thread from the first one on. */
  expect(bytes: number): void {
    this.#sum.expect(bytes);
  }

  /** Size and MD5 of what was written so far, in order. No write may be under way. */
  async facts(): Promise<FileFacts> {
    return { sizeBytes: this.#sum.writtenBytes, md5: await this.#sum.digest() };
  }

  /** Appends bytes. The buffer may be used again once this has resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.writeAt([bytes], this.sizeBytes);
  }

  /**
   * Writes pieces one after the other from `at` on. Writes may be under way side by side, and leave gaps that later ones fill: when the file
   * is finished there must be none.
   */
  async writeAt(pieces: readonly Uint8Array[], at: number): Promise<void> {
    const sum = this.#sum;
    const writing = this.#writeFully(pieces, at);
    // Summing while the disk writes hides nearly all of the cost of the sum.
    sum.passing(pieces, at);
    sum.landed(at, at + (await writing));
  }

  /** Forgets all that was written, for a source that changed in between. No write may be under way. */
  async startOver(): Promise<void> {
    await this.#sum.end();
    await this.handle.truncate(0);
    this.#sum = new InOrderSum(this.handle, this.partPath);
  }

  /** Gives the file its final name, replacing what stands there. Nothing is left of it where that fails. */
  async finish(finalPath: string): Promise<FileFacts> {
    try {
      const facts = await this.facts();
      await this.#sum.end();
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
    await this.#sum.end();
    await this.handle.close().catch(() => undefined);
    await unlink(this.partPath).catch(() => undefined);
  }

  /** Resolves to the number of bytes. */
  async #writeFully(pieces: readonly Uint8Array[], at: number): Promise<number> {
    const sizeBytes = bytesOf(pieces);
    if (sizeBytes === 0) return 0;
    let { bytesWritten } = await this.handle.writev([...pieces], at);
    if (bytesWritten === sizeBytes) return sizeBytes;
    // A disk that takes a part of it, which is rare: mostly there is no room for the rest.
    for (const bytes = Buffer.concat(pieces); bytesWritten < sizeBytes; ) {
      const rest = sizeBytes - bytesWritten;
      bytesWritten += (await this.handle.write(bytes, bytesWritten, rest, at + bytesWritten)).bytesWritten;
    }
    return sizeBytes;
  }
}

/**
 * Has a file written under another name and gives it its final one once it is whole. What `fill` throws is thrown on, and nothing is
 * left of the file then.
 */
export async function writeWhole(
  finalPath: string,
  options: PartOptions,
  fill: (part: PartFile) => Promise<void>,
): Promise<FileFacts> {
  const part = await PartFile.begin(finalPath, options);
  try {
    await fill(part);
  } catch (error) {
    await part.discard();
    throw error;
  }
  return part.finish(finalPath);
}
