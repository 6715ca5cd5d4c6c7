import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileFacts } from '../jobs/job.js';
import { InOrderSum } from './incremental-md5.js';

/** 256 KiB: as fast as any larger piece, and a small part of what a transfer may keep in memory. */
const pieceBytes = 1 << 18;

/**
 * A file on its way out. Its bytes may be read again from anywhere after a break; each is summed up once, as it passes for the
 * first time.
 */
export class OutgoingFile {
  readonly #sum: InOrderSum;

  private constructor(
    private readonly handle: FileHandle,
    path: string,
    readonly sizeBytes: number,
  ) {
    this.#sum = new InOrderSum(handle, path);
  }

  /** Opens the file at a path, which does not change from now on. `end` must be called. */
  static async open(path: string): Promise<OutgoingFile> {
    const handle = await open(path, 'r');
    return new OutgoingFile(handle, path, (await handle.stat()).size);
  }

  /** How far it has been read by now: no server can have more of it. */
  get passedBytes(): number {
    return this.#sum.writtenBytes;
  }

  /** Its bytes from an offset on, which must not lie beyond what has been read already. `passed` is told how far it has been read. */
  bytesFrom(fromByte: number, passed: (bytes: number) => void = () => {}): Readable {
    if (fromByte > this.passedBytes)
      throw new RangeError('a file can only be read on from where it was read to');
    return Readable.from(this.#pieces(fromByte, passed), { objectMode: false, highWaterMark: pieceBytes });
  }

  /** Size and MD5 of the bytes that passed: of the whole file once it was read to its end. */
  async facts(): Promise<FileFacts> {
    return { sizeBytes: this.passedBytes, md5: await this.#sum.digest() };
  }

  /** Lets go of the file. */
  async end(): Promise<void> {
    await this.#sum.end();
    await this.handle.close();
  }

  async *#pieces(fromByte: number, passed: (bytes: number) => void): AsyncGenerator<Buffer> {
    this.#sum.expect(this.sizeBytes);
    for (let at = fromByte; ; ) {
      const { buffer, bytesRead } = await this.handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
      if (bytesRead === 0) return;
      const piece = buffer.subarray(0, bytesRead);
      this.#pass(piece, at);
      yield piece;
      // Asked for the next one: this one has been taken.
      at += bytesRead;
      passed(at);
    }
  }

  #pass(piece: Buffer, at: number): void {
    const isNew = piece.subarray(Math.max(0, this.passedBytes - at));
    const end = at + piece.byteLength;
    this.#sum.passing([isNew], end - isNew.byteLength);
    this.#sum.landed(end - isNew.byteLength, end);
  }
}
