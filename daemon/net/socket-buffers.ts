/**
 * 256 KiB: the amount that the system returns per read on a fast connection. Larger buffers leave the CPU cache before
 * they are written.
 */
const bufferBytes = 1 << 18;
/** Maximum number of unused buffers, about 8 MiB. */
const maxFree = 32;
/**
 * Data that fills less than this ratio of a buffer is copied out of it: many small chunks would retain many large
 * buffers.
 */
const minFillRatio = 1 / 4;

/**
 * A pool of buffers that sockets read into. By default Node allocates a buffer of 64 KiB for each read; for 200 MB,
 * allocating takes three times as long as reading.
 */
export class SocketBuffers {
  readonly #free: Uint8Array[] = [];
  /** Number of bytes read into each buffer in use. */
  readonly #filledBytes = new WeakMap<ArrayBufferLike, number>();

  /** A buffer to read into. */
  next(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  }

  /** Returns the bytes that were read into a buffer of this pool. */
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
   * Releases chunks that were processed, together with all earlier chunks of the same connection. A buffer returns to
   * the pool with its last chunk. Chunks from elsewhere are ignored, and buffers that are never released are
   * garbage-collected.
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
