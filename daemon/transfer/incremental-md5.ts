import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type SumBeside, sumBeside } from './background-md5.js';
import { ByteRanges } from './byte-ranges.js';

/** How much is read back at once, in bytes (see `read-file.ts`). */
const readBytes = 1 << 20;
/** Files of so many bytes are summed by another thread: to start that takes as long as summing 24 MB does. */
const largeBytes = 1 << 25;

/**
 * The MD5 of a file whose bytes are written in any order. What is written next to what was summed already is summed as it passes; the
 * rest is read back as soon as the gap before it is closed, most likely while the system still has it in memory. Large files are all read
 * back, by another thread: summing takes longer than all else that a fast download does.
 */
export class InOrderSum {
  #hash = createHash('md5');
  readonly #written = new ByteRanges();
  #summedBytes = 0;
  #readingBack: Promise<void> | null = null;
  #fault: { readonly error: unknown } | null = null;
  #beside: SumBeside | null = null;
  #isBesideOver = false;

  /** `path` is where the file stands until the sum is ended. */
  constructor(
    private readonly handle: FileHandle,
    private readonly path: string,
  ) {}

  /** Bytes that are written. */
  get writtenBytes(): number {
    return this.#written.totalBytes;
  }

  /** So many bytes are to be written, most likely. */
  expect(bytes: number): void {
    if (bytes < largeBytes || this.#isBesideOver) return;
    this.#beside ??= sumBeside(this.path);
  }

  /** Takes note of pieces that are about to be written from `at` on. Called while the disk writes, which hides most of the cost. */
  passing(pieces: readonly Uint8Array[], at: number): void {
    if (this.#beside !== null || at !== this.#summedBytes || this.#readingBack !== null) return;
    for (const piece of pieces) {
      this.#hash.update(piece);
      this.#summedBytes += piece.byteLength;
    }
  }

  /** Takes note of bytes that are written now. Throws what reading back has failed with. */
  landed(from: number, to: number): void {
    this.#written.add(from, to);
    if (this.#fault !== null) throw this.#fault.error;
    const reachedBytes = this.#written.endFrom(0);
    this.expect(reachedBytes);
    if (this.#beside === null) this.#readOn();
    else this.#beside.reach(reachedBytes);
  }

  /** The MD5 of all that is written up to the first gap. Rejects with what reading back has failed with. */
  async digest(): Promise<string> {
    if (this.#beside !== null) {
      const md5 = await this.#beside.digest().catch(() => null);
      if (md5 !== null) return md5;
      // The thread is gone, or could not read: whatever it was, it shows here as well, or is overcome.
      this.#endBeside();
      this.#hash = createHash('md5');
      this.#summedBytes = 0;
      this.#readOn();
    }
    while (this.#readingBack !== null) await this.#readingBack;
    if (this.#fault !== null) throw this.#fault.error;
    return this.#hash.copy().digest('hex');
  }

  /** Nothing is read any more when this has resolved. */
  async end(): Promise<void> {
    this.#endBeside();
    while (this.#readingBack !== null) await this.#readingBack;
  }

  #endBeside(): void {
    this.#beside?.end();
    this.#beside = null;
    this.#isBesideOver = true;
  }

  #readOn(): void {
    if (this.#readingBack !== null || this.#written.endFrom(this.#summedBytes) <= this.#summedBytes) return;
    this.#readingBack = this.#readBack().catch((error: unknown) => {
      this.#fault = { error };
      this.#readingBack = null;
    });
  }

  async #readBack(): Promise<void> {
    const buffer = Buffer.allocUnsafe(readBytes);
    for (;;) {
      const wanted = Math.min(readBytes, this.#written.endFrom(this.#summedBytes) - this.#summedBytes);
      if (wanted <= 0 || this.#beside !== null) {
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
