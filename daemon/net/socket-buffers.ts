/** 256 KiB: what the system hands over at once on a fast line. Larger ones fall out of the processor's cache before they are written. */
const bufferBytes = 1 << 18;
/** How much may lie there unused, in buffers: some 8 MiB. */
const maxFree = 32;
/** What fills less than this share of a buffer is copied out of it: many small pieces would hold many large buffers. */
const minFillRatio = 1 / 4;

/**
 * Buffers that sockets read into, used again and again. Of its own accord Node makes a new one of 64 KiB for each read; at 200 MB that takes
 * three times as long as the reading itself.
 */
export class SocketBuffers {
  readonly #free: Uint8Array[] = [];
  /** Up to where those that were handed out are filled. */
  readonly #filledBytes = new WeakMap<ArrayBufferLike, number>();

  /** A buffer to read into. */
  next(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  }

  /** The bytes that were read into a buffer of these. */
  read(buffer: Uint8Array, bytes: number): Uint8Array {
    const view = buffer.subarray(0, bytes);
    if (bytes < bufferBytes * minFillRatio) {
      const copy = Buffer.from(view);
      this.#keep(buffer);
      return copy;
    }
    this.#filledBytes.set(buffer.buffer, bytes);
    return view;
  }

  /**
   * Pieces of what was read are done with, and so are all before them from the same connection. A buffer is used again when its last piece is;
   * pieces from elsewhere, and buffers that never come back, are left to Node.
   */
  release(chunks: readonly Uint8Array[]): void {
    for (const { buffer, byteOffset, byteLength } of chunks) {
      if (this.#filledBytes.get(buffer) !== byteOffset + byteLength) continue;
      this.#filledBytes.delete(buffer);
      this.#keep(new Uint8Array(buffer));
    }
  }

  #keep(buffer: Uint8Array): void {
    if (this.#free.length < maxFree) this.#free.push(buffer);
  }
}
