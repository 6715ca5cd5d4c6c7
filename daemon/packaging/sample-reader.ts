import { type FileHandle, open } from 'node:fs/promises';
import type { Sample } from './sample-tables.js';
import { readPart } from './write-segments.js';

/** As large as possible without a noticeable delay of an abort. */
const blockBytes = 1 << 20;

/** Reads samples in their order. Those of other tracks are between them, so the file is read in blocks. */
export class SampleReader {
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  #block: Buffer = Buffer.alloc(0);
  #offset = 0;

  /** Opens a file for the samples of one track. */
  static async open(path: string, signal: AbortSignal): Promise<SampleReader> {
    return new SampleReader(await open(path, 'r'), signal);
  }

  private constructor(handle: FileHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  /** The bytes of some samples, in pieces of limited size. */
  async *read(samples: readonly Sample[]): AsyncGenerator<Buffer> {
    let pieces: Buffer[] = [];
    let size = 0;
    for (const { offset, sizeBytes } of samples) {
      for (let done = 0; done < sizeBytes; ) {
        const piece = await this.#part(offset + done, sizeBytes - done);
        pieces.push(piece);
        size += piece.length;
        done += piece.length;
      }
      if (size < blockBytes) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      size = 0;
    }
    if (size > 0) yield Buffer.concat(pieces);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** The bytes at an offset: at most so many, and at least one. */
  async #part(offset: number, sizeBytes: number): Promise<Buffer> {
    const start = offset - this.#offset;
    if (start >= 0 && start < this.#block.length) return this.#block.subarray(start, start + sizeBytes);
    this.#signal.throwIfAborted();
    this.#block = await readPart(this.#handle, { offset, sizeBytes: blockBytes });
    this.#offset = offset;
    if (this.#block.length === 0) throw new RangeError('the file is shorter than it was');
    return this.#block.subarray(0, sizeBytes);
  }
}
