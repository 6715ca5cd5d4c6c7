import { type FileHandle, open } from 'node:fs/promises';
import type { Sample } from './sample-tables.js';

/** As large as possible without a noticeable delay of an abort. */
const blockBytes = 1 << 20;

/**
 * Reads samples in their order. Those of other tracks are between them, so the file is read in blocks. The memory is allocated once: that of
 * many blocks would be freed late.
 */
export class SampleReader {
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  readonly #block = Buffer.allocUnsafe(blockBytes);
  readonly #pending = Buffer.allocUnsafe(blockBytes);
  /** The part of the file that is in the block. */
  #offset = 0;
  #length = 0;

  /** Opens a file for the samples of one track. */
  static async open(path: string, signal: AbortSignal): Promise<SampleReader> {
    return new SampleReader(await open(path, 'r'), signal);
  }

  private constructor(handle: FileHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  /** The bytes of some samples, in pieces of limited size. A piece is valid until the next one is asked for. */
  async *read(samples: readonly Sample[]): AsyncGenerator<Buffer> {
    let size = 0;
    for (const { offset, sizeBytes } of samples) {
      for (let done = 0; done < sizeBytes; ) {
        if (size === blockBytes) {
          yield this.#pending;
          size = 0;
        }
        const piece = await this.#part(offset + done, Math.min(sizeBytes - done, blockBytes - size));
        size += piece.copy(this.#pending, size);
        done += piece.length;
      }
    }
    if (size > 0) yield this.#pending.subarray(0, size);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** The bytes at an offset: at most so many, and at least one. */
  async #part(offset: number, sizeBytes: number): Promise<Buffer> {
    const start = offset - this.#offset;
    if (start >= 0 && start < this.#length)
      return this.#block.subarray(start, Math.min(start + sizeBytes, this.#length));
    this.#signal.throwIfAborted();
    const { bytesRead } = await this.#handle.read(this.#block, 0, blockBytes, offset);
    this.#offset = offset;
    this.#length = bytesRead;
    if (bytesRead === 0) throw new RangeError('the file is shorter than it was');
    return this.#block.subarray(0, Math.min(sizeBytes, bytesRead));
  }
}
