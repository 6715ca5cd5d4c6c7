import type { Readable } from 'node:stream';

/** How many bytes may have arrived and not yet been taken. */
const maxAheadBytes = 1 << 20;

/**
 * Hands each piece of a body to `take`, in order, while the next ones arrive. When the body breaks off, the pieces that had arrived are
 * taken all the same, and then its error is told. Iterating over the body would lose them: with a server that sends a little at a
 * time before it breaks off, the download would never come forward. For the same reason it is to be called in the moment in which the answer
 * is there; what has to be done before the first piece can be taken, `take` waits for.
 */
export function drain(body: Readable, take: (piece: Uint8Array) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let aheadBytes = 0;
    let taken = Promise.resolve();
    const fail = (error: unknown): void => {
      reject(error);
      body.destroy();
    };
    if (body.destroyed) return reject(body.errored ?? new Error('closed early'));
    body.on('data', (piece: Uint8Array) => {
      aheadBytes += piece.byteLength;
      if (aheadBytes >= maxAheadBytes) body.pause();
      taken = taken.then(async () => {
        await take(piece);
        aheadBytes -= piece.byteLength;
        if (aheadBytes < maxAheadBytes && body.isPaused()) body.resume();
      });
      taken.catch(fail);
    });
    body.once('end', () => void taken.then(resolve, fail));
    body.on('error', (error) => void taken.then(() => reject(error), fail));
    body.once('close', () => void taken.then(() => reject(new Error('closed early')), fail));
  });
}
