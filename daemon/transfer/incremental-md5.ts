import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type BackgroundMd5, startBackgroundMd5 } from './background-md5.js';

/** Bytes per read when reading back (see `read-file.ts`). */
const readBytes = 1 << 20;
/** From this size on, a worker thread computes the MD5. Starting the worker takes as long as the MD5 of 24 MB. */
const backgroundThresholdBytes = 1 << 25;

/**
 * The MD5 of a file whose bytes are written in any order. Bytes that directly follow the hashed ones are hashed from
 * memory. Other bytes are read back as soon as the gap before them is closed, usually from the page cache. A worker
 * thread reads back all of a large file: hashing takes longer than everything else in a fast download.
 */
export class IncrementalMd5 {
  #hash = createHash('md5');
  readonly #written = new ByteRangeSet();
  #hashedBytes = 0;
  #readingBack: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;
  #background: BackgroundMd5 | null = null;
  #isBackgroundClosed = false;

  /** `path` must name the file until `close`. */
  constructor(
    private readonly handle: FileHandle,
    private readonly path: string,
  ) {}

  /** Number of bytes written. */
  get writtenBytes(): number {
    return this.#written.totalBytes;
  }

  /** Announces the probable size of the file. */
  expectSize(bytes: number): void {
    if (bytes < backgroundThresholdBytes || this.#isBackgroundClosed) return;
    this.#background ??= startBackgroundMd5(this.path);
  }

  /** Hashes chunks that are being written at `position`. Call it during the write, which hides most of the cost. */
  update(chunks: readonly Uint8Array[], position: number): void {
    if (this.#background !== null || position !== this.#hashedBytes || this.#readingBack !== null) return;
    for (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#hashedBytes += chunk.byteLength;
    }
  }

  /** Marks bytes as written. Throws the error of a failed read-back. */
  markWritten(from: number, to: number): void {
    this.#written.add(from, to);
    if (this.#failure !== null) throw this.#failure.error;
    const contiguousBytes = this.#written.contiguousEnd(0);
    this.expectSize(contiguousBytes);
    if (this.#background === null) this.#startReadBack();
    else this.#background.extendTo(contiguousBytes);
  }

  /** The MD5 of all bytes before the first gap. Rejects with the error of a failed read-back. */
  async digest(): Promise<string> {
    if (this.#background !== null) {
      const md5 = await this.#background.digest().catch(() => null);
      if (md5 !== null) return md5;
      // The worker exited or could not read the file. Hash it here: a persistent error occurs again.
      this.#closeBackground();
      this.#hash = createHash('md5');
      this.#hashedBytes = 0;
      this.#startReadBack();
    }
    while (this.#readingBack !== null) await this.#readingBack;
    if (this.#failure !== null) throw this.#failure.error;
    return this.#hash.copy().digest('hex');
  }

  /** Stops hashing. Nothing reads the file after this resolves. */
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
        // Reset in the same tick as the check, so that no new write is missed.
        this.#readingBack = null;
        return;
      }
      const { bytesRead } = await this.handle.read(buffer, 0, bytesToRead, this.#hashedBytes);
      if (bytesRead === 0) throw new Error('the file is shorter than the bytes written to it');
      this.#hash.update(buffer.subarray(0, bytesRead));
      this.#hashedBytes += bytesRead;
    }
  }
}

/** A set of byte ranges, each from `from` (inclusive) to `to` (exclusive). Ranges may be added in any order. */
export class ByteRangeSet {
  #ranges: { readonly from: number; readonly to: number }[] = [];

  /** Number of bytes in the set. */
  get totalBytes(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Adds a range, which may overlap others. */
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

  /** The end of the range that contains `position`, or `position` if no range contains it. */
  contiguousEnd(position: number): number {
    return this.#ranges.find(({ from, to }) => from <= position && position < to)?.to ?? position;
  }
}
