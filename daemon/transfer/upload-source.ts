import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileFactsWithMd5 } from '../jobs/job.js';
import { IncrementalMd5 } from './incremental-md5.js';

/** 256 KiB: as fast as larger chunks, and small compared to the memory limit of a transfer. */
const chunkBytes = 1 << 18;

/**
 * A local file that is being uploaded. After an interruption it can be read again from any earlier offset. Each byte is
 * hashed once, when it is read for the first time.
 */
export class UploadSource {
  readonly #md5: IncrementalMd5;

  private constructor(
    private readonly handle: FileHandle,
    path: string,
    readonly sizeBytes: number,
  ) {
    this.#md5 = new IncrementalMd5(handle, path);
  }

  /** Opens the file at a path. The file must not change until `close`, which must be called. */
  static async open(path: string): Promise<UploadSource> {
    const handle = await open(path, 'r');
    return new UploadSource(handle, path, (await handle.stat()).size);
  }

  /** How far the file has been read, in bytes. No server can have more of it. */
  get bytesTransferred(): number {
    return this.#md5.writtenBytes;
  }

  /**
   * Streams the file from an offset, at most `bytesTransferred`. `onBytesTransferred` gets the offset up to which
   * chunks were consumed.
   */
  bytesFrom(fromByte: number, onBytesTransferred: (bytes: number) => void = () => {}): Readable {
    if (fromByte > this.bytesTransferred)
      throw new RangeError('the offset is beyond the bytes that were read');
    return Readable.from(this.#chunks(fromByte, onBytesTransferred), {
      objectMode: false,
      highWaterMark: chunkBytes,
    });
  }

  /** Size and MD5 of the bytes read: of the whole file after it was read to its end. */
  async facts(): Promise<FileFactsWithMd5> {
    return { sizeBytes: this.bytesTransferred, md5: await this.#md5.digest() };
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#md5.close();
    await this.handle.close();
  }

  async *#chunks(fromByte: number, onBytesTransferred: (bytes: number) => void): AsyncGenerator<Buffer> {
    this.#md5.expectSize(this.sizeBytes);
    for (let position = fromByte; position < this.sizeBytes; ) {
      const length = Math.min(chunkBytes, this.sizeBytes - position);
      const { buffer, bytesRead } = await this.handle.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      this.#hashNew(chunk, position);
      yield chunk;
      // The consumer requested the next chunk, so it has consumed this one.
      position += bytesRead;
      onBytesTransferred(position);
    }
  }

  #hashNew(chunk: Buffer, position: number): void {
    const newBytes = chunk.subarray(Math.max(0, this.bytesTransferred - position));
    const close = position + chunk.byteLength;
    this.#md5.update([newBytes], close - newBytes.byteLength);
    this.#md5.markWritten(close - newBytes.byteLength, close);
  }
}
