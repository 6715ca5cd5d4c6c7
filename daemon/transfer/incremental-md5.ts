import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type BackgroundMd5, startBackgroundMd5 } from './background-md5.js';

/** How much is read back at once, in bytes (see `read-file.ts`). */
const readBytes = 1 << 20;
/** Files of so many bytes are summed by another thread: to start that takes as long as summing 24 MB does. */
const backgroundThresholdBytes = 1 << 25;

/**
 * The MD5 of a file whose bytes are written in any order. What is written next to what was summed already is summed as it passes; the
 * rest is read back as soon as the gap before it is closed, most likely while the system still has it in memory. Large files are all read
 * back, by another thread: summing takes longer than all else that a fast download does.
 */
export class IncrementalMd5 {
  #hash = createHash('md5');
  readonly #written = new ByteRangeSet();
  #hashedBytes = 0;
  #readingBack: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;
  #background: BackgroundMd5 | null = null;
  #isBackgroundClosed = false;

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
  expectSize(bytes: number): void {
    if (bytes < backgroundThresholdBytes || this.#isBackgroundClosed) return;
    this.#background ??= startBackgroundMd5(this.path);
  }

  /** Takes note of pieces that are about to be written from `at` on. Called while the disk writes, which hides most of the cost. */
  update(chunks: readonly Uint8Array[], position: number): void {
    if (this.#background !== null || position !== this.#hashedBytes || this.#readingBack !== null) return;
    for (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#hashedBytes += chunk.byteLength;
    }
  }

  /** Takes note of bytes that are written now. Throws what reading back has failed with. */
  markWritten(from: number, to: number): void {
    this.#written.add(from, to);
    if (this.#failure !== null) throw this.#failure.error;
    const contiguousBytes = this.#written.contiguousEnd(0);
    this.expectSize(contiguousBytes);
    if (this.#background === null) this.#startReadBack();
    else this.#background.extendTo(contiguousBytes);
  }

  /** The MD5 of all that is written up to the first gap. Rejects with what reading back has failed with. */
  async digest(): Promise<string> {
    if (this.#background !== null) {
      const md5 = await this.#background.digest().catch(() => null);
      if (md5 !== null) return md5;
      // The thread is gone, or could not read: whatever it was, it shows here as well, or is overcome.
      this.#closeBackground();
      this.#hash = createHash('md5');
      this.#hashedBytes = 0;
      this.#startReadBack();
    }
    while (this.#readingBack !== null) await this.#readingBack;
    if (this.#failure !== null) throw this.#failure.error;
    return this.#hash.copy().digest('hex');
  }

  /** Nothing is read any more when this has resolved. */
  async close(): Promise<void> {
    this.#closeBackground();
    while (this.#readingBack !== null) await this.#readingBack;
  }

  #closeBackground(): void {
    this.#background?.close();
    this.#background = null;
    this.#isBackgroundClosed = true;
  }

  #startReadBack(): void {
    if (this.#readingBack !== null || this.#written.contiguousEnd(this.#hashedBytes) <= this.#hashedBytes)
      return;
    this.#readingBack = this.#readBack().catch((error: unknown) => {
      this.#failure = { error };
      this.#readingBack = null;
    });
  }

  async #readBack(): Promise<void> {
    const buffer = Buffer.allocUnsafe(readBytes);
    for (;;) {
      const bytesToRead = Math.min(
        readBytes,
        this.#written.contiguousEnd(this.#hashedBytes) - this.#hashedBytes,
      );
      if (bytesToRead <= 0 || this.#background !== null) {
        // In the same moment, so that nothing that lands is overlooked.
        this.#readingBack = null;
        return;
      }
      const { bytesRead } = await this.handle.read(buffer, 0, bytesToRead, this.#hashedBytes);
      if (bytesRead === 0) throw new Error('a file lost bytes that were written to it');
      this.#hash.update(buffer.subarray(0, bytesRead));
      this.#hashedBytes += bytesRead;
    }
  }
}

/** Which bytes of a file are there, as byte ranges from a first byte to the one behind the last. They may come in any order. */
export class ByteRangeSet {
  #ranges: { readonly from: number; readonly to: number }[] = [];

  /** Bytes that are there. */
  get totalBytes(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Adds the bytes from `from` up to `to`, some of which may be there already. */
  add(from: number, to: number): void {
    if (to <= from) return;
    const separate = this.#ranges.filter((range) => range.to < from || range.from > to);
    const adjacent = this.#ranges.filter((range) => range.to >= from && range.from <= to);
    const merged = {
      from: Math.min(from, ...adjacent.map((range) => range.from)),
      to: Math.max(to, ...adjacent.map((range) => range.to)),
    };
    this.#ranges = [...separate, merged].sort((a, b) => a.from - b.from);
  }

  /** How far the bytes reach without a gap from `at` on; `at` itself where that byte is not there. */
  contiguousEnd(position: number): number {
    return this.#ranges.find(({ from, to }) => from <= position && position < to)?.to ?? position;
  }
}
