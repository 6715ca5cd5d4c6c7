import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileFacts } from '../../jobs/job.js';

/** 256 KiB: as fast as any larger piece, and a small part of what a transfer may keep in memory. */
const pieceBytes = 1 << 18;

/**
 * A file on its way out. Its bytes may be read again from anywhere after a break; each is summed up once, as it passes for the
 * first time.
 */
export class OutgoingFile {
  #hash = createHash('md5');
  #summedBytes = 0;

  private constructor(
    private readonly path: string,
    readonly sizeBytes: number,
  ) {}

  /** Looks at the file at a path, which does not change from now on. */
  static async open(path: string): Promise<OutgoingFile> {
    return new OutgoingFile(path, (await stat(path)).size);
  }

  /** How far it has been read by now: no server can have more of it. */
  get passedBytes(): number {
    return this.#summedBytes;
  }

  /** Its bytes from an offset on, which must not lie beyond what has been read already. `passed` is told how far it has been read. */
  bytesFrom(fromByte: number, passed: (bytes: number) => void = () => {}): Readable {
    if (fromByte > this.#summedBytes)
      throw new RangeError('a file can only be read on from where it was read to');
    return Readable.from(this.#pieces(fromByte, passed), { objectMode: false, highWaterMark: pieceBytes });
  }

  /** Size and MD5 of the bytes that passed: of the whole file once it was read to its end. */
  facts(): FileFacts {
    return { sizeBytes: this.#summedBytes, md5: this.#hash.copy().digest('hex') };
  }

  async *#pieces(fromByte: number, passed: (bytes: number) => void): AsyncGenerator<Buffer> {
    let at = fromByte;
    const file = createReadStream(this.path, { start: fromByte, highWaterMark: pieceBytes });
    for await (const piece of file as AsyncIterable<Buffer>) {
      const isNew = at + piece.byteLength - this.#summedBytes;
      if (isNew > 0) {
        this.#hash.update(piece.subarray(piece.byteLength - isNew));
        this.#summedBytes += isNew;
      }
      yield piece;
      // Asked for the next one: this one has been taken.
      at += piece.byteLength;
      passed(at);
    }
  }
}
