import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ByteRanges } from './byte-ranges.js';

/** How much is read back at once, in bytes (see `read-file.ts`). */
const readBytes = 1 << 20;

/**
 * The MD5 of a file whose bytes are written in any order. What is written next to what was summed already is summed as it passes; the
 * rest is read back as soon as the gap before it is closed, most likely while the system still has it in memory.
 */
export class InOrderSum {
  readonly #hash = createHash('md5');
  readonly #written = new ByteRanges();
  #summedBytes = 0;
  #readingBack: Promise<void> | null = null;
  #fault: { readonly error: unknown } | null = null;

  constructor(private readonly handle: FileHandle) {}

  /** Bytes that are written. */
  get writtenBytes(): number {
    return this.#written.totalBytes;
  }

  /** The MD5 of what was summed so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Takes note of pieces that are about to be written from `at` on. Called while the disk writes, which hides most of the cost. */
  passing(pieces: readonly Uint8Array[], at: number): void {
    if (at !== this.#summedBytes || this.#readingBack !== null) return;
    for (const piece of pieces) {
      this.#hash.update(piece);
      this.#summedBytes += piece.byteLength;
    }
  }

  /** Takes note of bytes that are written now. Throws what reading back has failed with. */
  landed(from: number, to: number): void {
    this.#written.add(from, to);
    if (this.#fault !== null) throw this.#fault.error;
    if (this.#readingBack !== null || this.#written.endFrom(this.#summedBytes) <= this.#summedBytes) return;
    this.#readingBack = this.#readBack().catch((error: unknown) => {
      this.#fault = { error };
      this.#readingBack = null;
    });
  }

  /** Resolves when nothing is read any more, all that can be summed being summed. */
  async settled(): Promise<void> {
    while (this.#readingBack !== null) await this.#readingBack;
    if (this.#fault !== null) throw this.#fault.error;
  }

  async #readBack(): Promise<void> {
    const buffer = Buffer.allocUnsafe(readBytes);
    for (;;) {
      const wanted = Math.min(readBytes, this.#written.endFrom(this.#summedBytes) - this.#summedBytes);
      if (wanted <= 0) {
        // In the same moment, so that nothing that lands is overlooked.
        this.#readingBack = null;
        return;
      }
      const { bytesRead } = await this.handle.read(buffer, 0, wanted, this.#summedBytes);
      if (bytesRead === 0) throw new Error('a file lost bytes that were written to it');
      this.#hash.update(buffer.subarray(0, bytesRead));
      this.#summedBytes += bytesRead;
    }
  }
}
