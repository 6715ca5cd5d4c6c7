import type { Readable } from 'node:stream';

/** How many bytes lie in pieces. */
export function totalByteLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The pieces of the first so many bytes. */
export function firstBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return sliceChunks(chunks, 0, bytes);
}

/** The pieces of what follows the first so many bytes. */
export function skipBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return sliceChunks(chunks, bytes, Number.POSITIVE_INFINITY);
}

function sliceChunks(chunks: readonly Uint8Array[], from: number, to: number): readonly Uint8Array[] {
  let position = 0;
  return chunks.flatMap((chunk) => {
    const part = chunk.subarray(Math.max(0, from - position), Math.max(0, to - position));
    position += chunk.byteLength;
    return part.byteLength > 0 ? [part] : [];
  });
}

/** How many bytes may have arrived and not yet been taken. */
const maxPendingBytes = 1 << 20;

/**
 * Hands the pieces of a body to `take`, in order, while the next ones arrive: each time all that came meanwhile. When the body breaks off,
 * the pieces that had arrived are taken all the same, and then its error is told. Iterating over the body would lose them: with a server that
 * sends a little at a time before it breaks off, the download would never come forward. For the same reason it is to be called in the
 * moment in which the answer is there; what has to be done before the first piece can be taken, `take` waits for. Where `take` resolves to
 * false, it has had enough: the rest is not waited for.
 */
export function drainInBatches(
  body: Readable,
  onChunks: (chunks: readonly Uint8Array[]) => Promise<boolean>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let pending: Uint8Array[] = [];
    let pendingBytes = 0;
    let isFlushing = false;
    let settle: (() => void) | null = null;
    const fail = (error: unknown): void => {
      settle = () => undefined;
      reject(error);
      body.destroy();
    };
    const flush = async (): Promise<void> => {
      isFlushing = true;
      while (pending.length > 0) {
        const chunks = pending;
        pending = [];
        pendingBytes = 0;
        if (body.isPaused()) body.resume();
        if (!(await onChunks(chunks))) {
          settle = resolve;
          pending = [];
          body.destroy();
        }
      }
      isFlushing = false;
      settle?.();
    };
    // What has arrived is taken before an end is told; the first end counts.
    const finish = (settlement: () => void): void => {
      settle ??= settlement;
      if (!isFlushing) settle();
    };
    if (body.destroyed) return reject(body.errored ?? new Error('closed early'));
    body.on('data', (chunk: Uint8Array) => {
      if (settle !== null) return;
      pending.push(chunk);
      pendingBytes += chunk.byteLength;
      if (pendingBytes >= maxPendingBytes) body.pause();
      if (!isFlushing) void flush().catch(fail);
    });
    body.once('end', () => finish(resolve));
    body.on('error', (error) => finish(() => reject(error)));
    body.once('close', () => finish(() => reject(new Error('closed early'))));
  });
}
