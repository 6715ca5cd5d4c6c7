import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileFacts, FileFactsWithMd5 } from '../jobs/job.js';
import { IncrementalMd5 } from './incremental-md5.js';
import { readChunks } from './read-file.js';

/** 256 KiB: as fast as larger chunks, and small compared to the memory limit of a transfer. */
const chunkBytes = 1 << 18;

/** 255 KiB: the largest write that an OpenSSH server accepts. It fills eight packets of its connection. */
const pieceBytes = 255 << 10;
/** Several pieces per read, because each read waits for a thread. */
const piecesPerRead = 4;

/** Receives consecutive pieces of a file. A piece is valid only until the promise resolves. */
export type OnPiece = (piece: Buffer) => Promise<void>;

/** How pieces of a file are read. */
interface PieceOptions {
  readonly signal: AbortSignal;
  /** Gets the offset up to which pieces were consumed. */
  readonly onBytesTransferred: (bytes: number) => void;
}

/**
 * A local file that is being uploaded. After an interruption it can be read again from any earlier offset. Each byte is
 * hashed once, when it is read for the first time; none if the MD5 is known.
 */
export class UploadSource {
  /** Null if the MD5 is known. */
  readonly #md5: IncrementalMd5 | null;
  #bytesTransferred = 0;

  private constructor(
    private readonly handle: FileHandle,
    path: string,
    readonly sizeBytes: number,
    private readonly knownMd5: string | null,
  ) {
    this.#md5 = knownMd5 === null ? new IncrementalMd5(handle, path) : null;
    this.#md5?.expectSize(sizeBytes);
  }

  /**
   * Opens the file at a path. The file must not change until `close`, which must be called. Its MD5 is taken from
   * `facts` if they have one and the size is the same.
   */
  static async open(path: string, facts?: FileFacts): Promise<UploadSource> {
    const handle = await open(path, 'r');
    const { size } = await handle.stat();
    return new UploadSource(handle, path, size, facts?.sizeBytes === size ? (facts.md5 ?? null) : null);
  }

  /** How far the file has been read, in bytes. No server can have more of it. */
  get bytesTransferred(): number {
    return this.#bytesTransferred;
  }

  /**
   * Streams the file from an offset, at most `bytesTransferred`. `onBytesTransferred` gets the offset up to which
   * chunks were consumed.
   */
  bytesFrom(fromByte: number, onBytesTransferred: (bytes: number) => void = () => {}): Readable {
    this.#requireRead(fromByte);
    return Readable.from(this.#chunks(fromByte, onBytesTransferred), {
      objectMode: false,
      highWaterMark: chunkBytes,
    });
  }

  /**
   * Reads the file from an offset, at most `bytesTransferred`, the next bytes while `onPiece` consumes a piece. It
   * reuses its buffers, which a stream cannot: over a fast network, allocating them costs a quarter of the processor
   * time of the upload.
   */
  async readFrom(
    fromByte: number,
    onPiece: OnPiece,
    { signal, onBytesTransferred }: PieceOptions,
  ): Promise<void> {
    this.#requireRead(fromByte);
    let position = fromByte;
    const onChunk = async (read: Buffer): Promise<void> => {
      const chunk = read.subarray(0, this.sizeBytes - position);
      this.#hashNew(chunk, position);
      for (let at = 0; at < chunk.byteLength; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes);
        await onPiece(piece);
        position += piece.byteLength;
        onBytesTransferred(position);
      }
    };
    if (position < this.sizeBytes)
      await readChunks(this.handle, onChunk, signal, { fromByte, chunkBytes: pieceBytes * piecesPerRead });
  }

  /** Size and MD5 of the bytes read: of the whole file after it was read to its end. */
  async facts(): Promise<FileFactsWithMd5> {
    const md5 = this.#md5 === null ? this.knownMd5 : await this.#md5.digest();
    return { sizeBytes: this.bytesTransferred, md5: md5 ?? '' };
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#md5?.close();
    await this.handle.close();
  }

  #requireRead(fromByte: number): void {
    if (fromByte > this.bytesTransferred)
      throw new RangeError('the offset is beyond the bytes that were read');
  }

  async *#chunks(fromByte: number, onBytesTransferred: (bytes: number) => void): AsyncGenerator<Buffer> {
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
    const end = position + chunk.byteLength;
    this.#bytesTransferred = Math.max(this.#bytesTransferred, end);
    this.#md5?.update([newBytes], end - newBytes.byteLength);
    this.#md5?.markWritten(end - newBytes.byteLength, end);
  }
}
