import type { Readable } from 'node:stream';

/** The total length of chunks, in bytes. */
export function totalByteLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The first `bytes` bytes of chunks. */
export function firstBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return sliceChunks(chunks, 0, bytes);
}

/** Everything after the first `bytes` bytes of chunks. */
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

/** Maximum number of received bytes that wait to be processed. */
const maxPendingBytes = 1 << 20;

/**
 * Passes the chunks of a body to `onChunks` in order. Each call gets all chunks that arrived during the previous one.
 * If the body breaks off, the chunks that have arrived are processed before the promise rejects. Iterating over the
 * body would lose them, and a download from a server that sends little before it breaks off would never progress. For
 * the same reason, call this function as soon as the response arrives, and do any preparation inside `onChunks`. If
 * `onChunks` resolves to false, the rest of the body is discarded.
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
    // Process the received chunks before settling. The first settlement wins.
    const finish = (settlement: () => void): void => {
      settle ??= settlement;
      if (!isFlushing) settle();
    };
    // An empty body may have ended before this call, and emits no further event.
    if (body.readableEnded) return resolve();
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
