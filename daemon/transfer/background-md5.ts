import { Worker } from 'node:worker_threads';
import type { Md5WorkerRequest, Md5WorkerResponse } from './md5-worker.js';

/** The MD5 of a file, computed by a worker thread while the file is written. */
export interface BackgroundMd5 {
  /** Reports that all bytes before this offset are written. */
  extendTo(toByte: number): void;
  /** The MD5 of all bytes reported by `extendTo`. Rejects if the worker cannot read them. */
  digest(): Promise<string>;
  /** Releases the worker. Must be called. */
  close(): void;
}

/** Minimum number of new bytes per message to the worker. */
const stepBytes = 1 << 20;

/**
 * One worker for all files: two would compete for the CPU with each other and with encodes. Null while no MD5 is
 * computed.
 */
let sharedWorker: Md5Worker | null = null;

/** Starts to compute the MD5 of a file, which may still be empty. Starts the worker if it is not running. */
export function startBackgroundMd5(path: string): BackgroundMd5 {
  sharedWorker ??= new Md5Worker();
  const worker = sharedWorker;
  const fileId = worker.open();
  let contiguousBytes = 0;
  let postedBytes = 0;
  const postProgress = (): void => {
    postedBytes = contiguousBytes;
    worker.request({ fileId, type: 'reach', path, toByte: contiguousBytes });
  };
  return {
    extendTo(toByte) {
      contiguousBytes = toByte;
      if (contiguousBytes - postedBytes >= stepBytes) postProgress();
    },
    digest() {
      postProgress();
      return worker.digest(fileId);
    },
    close() {
      if (worker.close(fileId) && sharedWorker === worker) sharedWorker = null;
    },
  };
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

  open(): number {
    this.#lastFileId += 1;
    this.#fileIds.add(this.#lastFileId);
    return this.#lastFileId;
  }

  request(request: Md5WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  digest(fileId: number): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      this.#pending.set(fileId, { resolve, reject });
      this.request({ fileId, type: 'digest' });
    });
  }

  /** Closes a file. Returns true if it was the last one, and the worker was terminated. */
  close(fileId: number): boolean {
    this.#fileIds.delete(fileId);
    if (this.#fileIds.size > 0) this.request({ fileId, type: 'end' });
    else void this.#worker.terminate();
    return this.#fileIds.size === 0;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    if (sharedWorker === this) sharedWorker = null;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }
}
