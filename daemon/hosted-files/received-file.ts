import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { FileFactsWithMd5 } from '../jobs/job.js';
import { md5OfFile } from '../transfer/incremental-md5.js';
import { mapUploadError, receiveBody } from './store-upload.js';

/** A part of a file. */
export interface FilePart {
  /** Number of bytes before this part. */
  readonly offset: number;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  readonly body: Readable;
  readonly signal: AbortSignal;
}

/** How parts are received. */
interface AppendOptions {
  /** How long a client may send nothing, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** Free space that received files leave on the volume. */
  readonly minFreeBytes: number;
  /** Whether a part that has been received must survive a power cut; false by default. */
  readonly isDurable?: boolean;
}

/**
 * A file that is received in parts, one request after the other. A part that breaks off keeps its bytes. A new request
 * ends the one that is still open: its client has gone.
 */
export class ReceivedFile {
  readonly path: string;
  #sizeBytes: number;
  #receivedBytes: number;
  /** Of the received bytes; null if earlier ones are from another process. */
  #md5: Hash | null;
  #active: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;
  /** Why no further part is accepted; null if parts are. */
  #closed: VencError | null = null;

  /** The folder of the path must exist when a part is appended. `receivedBytes` is what an earlier process received. */
  constructor(path: string, sizeBytes: number, receivedBytes = 0) {
    this.path = path;
    this.#sizeBytes = sizeBytes;
    this.#receivedBytes = receivedBytes;
    this.#md5 = receivedBytes === 0 ? createHash('md5') : null;
  }

  /** Size of the whole file, as its first part announced it. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Whether a request is being received. */
  get isActive(): boolean {
    return this.#active !== null;
  }

  /**
   * Does the work of a request, after the request before it has been ended. The signal of the work is aborted with one of
   * the signals, or when a later request begins.
   */
  async replaceRequest<T>(
    signals: readonly AbortSignal[],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    while (this.#active !== null) {
      this.#active.controller.abort(new VencError('ConflictError', 'Another request sends this file.'));
      await this.#active.ended;
    }
    if (this.#closed !== null) throw this.#closed;
    const controller = new AbortController();
    const result = work(AbortSignal.any([...signals, controller.signal]));
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.#active = { controller, ended };
    try {
      return await result;
    } finally {
      this.#active = null;
    }
  }

  /**
   * Throws `ConflictError` if a part does not begin where the file ends, and `InvalidRequestError` if it has another
   * size than the file.
   */
  checkPart({ offset, sizeBytes }: Pick<FilePart, 'offset' | 'sizeBytes'>): void {
    if (offset !== this.#receivedBytes)
      throw new VencError(
        'ConflictError',
        `offset must be ${this.#receivedBytes}, the number of bytes received so far.`,
      );
    // An empty beginning has no size yet.
    if (offset === 0) this.#sizeBytes = sizeBytes;
    if (sizeBytes !== this.#sizeBytes) throw invalidRequest([`size must be ${this.#sizeBytes}, as before`]);
  }

  /** Appends a part that `checkPart` has accepted. Rejects as `receiveBody` does; bytes that arrived before that stay. */
  async append({ body, signal }: Pick<FilePart, 'body' | 'signal'>, options: AppendOptions): Promise<void> {
    const { isDurable = false, ...bodyOptions } = options;
    const flags = this.#receivedBytes === 0 ? 'w' : 'r+';
    const handle = await open(this.path, flags, 0o600).catch((error: unknown) => {
      throw mapUploadError(error);
    });
    try {
      await receiveBody(body, { ...bodyOptions, signal, folder: dirname(this.path) }, async (chunk) => {
        if (this.#receivedBytes + chunk.byteLength > this.#sizeBytes)
          throw invalidRequest([`the file has more than the ${this.#sizeBytes} bytes that size says`]);
        await writeFully(handle, chunk, this.#receivedBytes);
        this.#md5?.update(chunk);
        this.#receivedBytes += chunk.byteLength;
      });
      if (isDurable) await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Size and MD5 of the received bytes. Reads them again if an earlier process received some of them. */
  async facts(signal: AbortSignal): Promise<FileFactsWithMd5> {
    const md5 = this.#md5?.copy().digest('hex') ?? (await md5OfFile(this.path, signal));
    return { sizeBytes: this.#receivedBytes, md5 };
  }

  /** Deletes what was received: the file begins again. */
  async reset(): Promise<void> {
    await rm(this.path, { force: true });
    this.#receivedBytes = 0;
    this.#md5 = createHash('md5');
  }

  /** Ends the open request, and rejects all later ones, with a reason. Resolves when nothing is written any more. */
  async close(reason: VencError): Promise<void> {
    this.#closed = reason;
    this.#active?.controller.abort(reason);
    await this.#active?.ended;
  }
}

async function writeFully(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.byteLength - done, position + done);
    done += bytesWritten;
  }
}
