import type { Readable } from 'node:stream';

/** How many bytes may have arrived and not yet been taken. */
const maxAheadBytes = 1 << 20;

/**
 * Hands the pieces of a body to `take`, in order, while the next ones arrive: each time all that came meanwhile. When the body breaks off,
 * the pieces that had arrived are taken all the same, and then its error is told. Iterating over the body would lose them: with a server that
 * sends a little at a time before it breaks off, the download would never come forward. For the same reason it is to be called in the
 * moment in which the answer is there; what has to be done before the first piece can be taken, `take` waits for. Where `take` resolves to
 * false, it has had enough: the rest is not waited for.
 */
export function drainInBatches(
  body: Readable,
  take: (pieces: readonly Uint8Array[]) => Promise<boolean>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let ahead: Uint8Array[] = [];
    let aheadBytes = 0;
    let isTaking = false;
    let ended: (() => void) | null = null;
    const fail = (error: unknown): void => {
      ended = () => undefined;
      reject(error);
      body.destroy();
    };
    const takeAll = async (): Promise<void> => {
      isTaking = true;
      while (ahead.length > 0) {
        const pieces = ahead;
        ahead = [];
        aheadBytes = 0;
        if (body.isPaused()) body.resume();
        if (!(await take(pieces))) {
          ended = resolve;
          ahead = [];
          body.destroy();
        }
      }
      isTaking = false;
      ended?.();
    };
    // What has arrived is taken before an end is told; the first end counts.
    const end = (tell: () => void): void => {
      ended ??= tell;
      if (!isTaking) ended();
    };
    if (body.destroyed) return reject(body.errored ?? new Error('closed early'));
    body.on('data', (piece: Uint8Array) => {
      if (ended !== null) return;
      ahead.push(piece);
      aheadBytes += piece.byteLength;
      if (aheadBytes >= maxAheadBytes) body.pause();
      if (!isTaking) void takeAll().catch(fail);
    });
    body.once('end', () => end(resolve));
    body.on('error', (error) => end(() => reject(error)));
    body.once('close', () => end(() => reject(new Error('closed early'))));
  });
}
