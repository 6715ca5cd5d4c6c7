import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileFacts } from '../jobs/job.js';
import { IncrementalMd5 } from './incremental-md5.js';

/** 256 KiB: as fast as any larger piece, and a small part of what a transfer may keep in memory. */
const chunkBytes = 1 << 18;

/**
 * A file on its way out. Its bytes may be read again from anywhere after a break; each is summed up once, as it passes for the
 * first time.
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

  /** Opens the file at a path, which does not change from now on. `end` must be called. */
  static async open(path: string): Promise<UploadSource> {
    const handle = await open(path, 'r');
    return new UploadSource(handle, path, (await handle.stat()).size);
  }

  /** How far it has been read by now: no server can have more of it. */
  get bytesTransferred(): number {
    return this.#md5.writtenBytes;
  }

  /** Its bytes from an offset on, which must not lie beyond what has been read already. `passed` is told how far it has been read. */
  bytesFrom(fromByte: number, onBytesTransferred: (bytes: number) => void = () => {}): Readable {
    if (fromByte > this.bytesTransferred)
      throw new RangeError('a file can only be read on from where it was read to');
    return Readable.from(this.#chunks(fromByte, onBytesTransferred), {
      objectMode: false,
      highWaterMark: chunkBytes,
    });
  }

  /** Size and MD5 of the bytes that passed: of the whole file once it was read to its end. */
  async facts(): Promise<FileFacts> {
    return { sizeBytes: this.bytesTransferred, md5: await this.#md5.digest() };
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    await this.#md5.close();
    await this.handle.close();
  }

  async *#chunks(fromByte: number, onBytesTransferred: (bytes: number) => void): AsyncGenerator<Buffer> {
    this.#md5.expectSize(this.sizeBytes);
    for (let position = fromByte; ; ) {
      const { buffer, bytesRead } = await this.handle.read(
        Buffer.allocUnsafe(chunkBytes),
        0,
        chunkBytes,
        position,
      );
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      this.#hashNew(chunk, position);
      yield chunk;
      // Asked for the next one: this one has been taken.
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
