import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { inScope } from '../../src/shared/util/error-scope.js';
import type { Md5WorkerRequest, Md5WorkerResponse } from './md5-worker.js';

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

/** The MD5 of a complete file. A worker thread computes that of a large one. Rejects if the file cannot be read. */
export async function md5OfFile(path: string, signal: AbortSignal): Promise<string> {
  const handle = await open(path, 'r');
  const md5 = new IncrementalMd5(handle, path);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    md5.markWritten(0, (await handle.stat()).size);
    signal.throwIfAborted();
    return await Promise.race([md5.digest(), aborted]);
  } finally {
    await md5.close();
    await handle.close();
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

/** The MD5 of a file, computed by a worker thread while the file is written. */
interface BackgroundMd5 {
  /** Reports that all bytes before this offset are written. */
  extendTo(toByte: number): void;
  /** The MD5 of all bytes reported by `extendTo`. Rejects if the worker cannot read them. */
  digest(): Promise<string>;
  /** Releases the worker. Must be called. */
  close(): void;
}

/** Minimum number of new bytes per message to the worker. */
const stepBytes = 1 << 20;

/** How long an idle worker waits for the next file, in milliseconds. Starting one takes 30 ms. */
const idleMs = 10_000;

/** One worker for all files: two would compete for the CPU with each other and with encodes. Null if none is running. */
let sharedWorker: Md5Worker | null = null;

/** Starts to compute the MD5 of a file, which may still be empty. Starts the worker if it is not running. */
function startBackgroundMd5(path: string): BackgroundMd5 {
  sharedWorker ??= new Md5Worker();
  return sharedWorker.open(path);
}

interface PendingDigest {
  readonly resolve: (md5: string) => void;
  readonly reject: (error: Error) => void;
}

class Md5Worker {
  readonly #worker = new Worker(new URL('./md5-worker.js', import.meta.url));
  readonly #fileIds = new Set<number>();
  readonly #pending = new Map<number, PendingDigest>();
  #lastFileId = 0;
  #failure: Error | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker.on('message', ({ fileId, md5 }: Md5WorkerResponse) => {
      const pending = this.#pending.get(fileId);
      this.#pending.delete(fileId);
      if (md5 === null) pending?.reject(new Error('the MD5 worker could not read the file'));
      else pending?.resolve(md5);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the MD5 worker has exited')));
  }

  open(path: string): BackgroundMd5 {
    clearTimeout(this.#idleTimer);
    this.#worker.ref();
    this.#lastFileId += 1;
    const fileId = this.#lastFileId;
    this.#fileIds.add(fileId);
    const request = (message: Md5WorkerRequest): void => this.#worker.postMessage(message);
    let contiguousBytes = 0;
    let postedBytes = 0;
    const postProgress = (): void => {
      postedBytes = contiguousBytes;
      request({ fileId, type: 'reach', path, toByte: contiguousBytes });
    };
    return {
      extendTo(toByte) {
        contiguousBytes = toByte;
        if (contiguousBytes - postedBytes >= stepBytes) postProgress();
      },
      digest: () =>
        new Promise((resolve, reject) => {
          if (this.#failure !== null) return reject(this.#failure);
          this.#pending.set(fileId, { resolve, reject });
          postProgress();
          request({ fileId, type: 'digest' });
        }),
      close: () => {
        this.#fileIds.delete(fileId);
        request({ fileId, type: 'end' });
        if (this.#fileIds.size === 0) this.#rest();
      },
    };
  }

  /** The worker neither keeps the process running now nor lives for long. */
  #rest(): void {
    this.#worker.unref();
    const stop = inScope(() => this.#stop());
    this.#idleTimer = setTimeout(stop, idleMs).unref();
  }

  #stop(): void {
    if (sharedWorker === this) sharedWorker = null;
    void this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    if (sharedWorker === this) sharedWorker = null;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }
}
