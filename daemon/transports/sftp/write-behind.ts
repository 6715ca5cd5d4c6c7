import type { Readable } from 'node:stream';
import type { Line } from './line.js';

/**
 * How much may be unconfirmed: hides the way there and back. A server may hold that much behind the last confirmed byte in any order when a
 * connection breaks.
 */
export const unconfirmedBytes = 1 << 21;

/** Writes a stream to an open file from an offset on, many requests at once. Resolves when the server has confirmed every one. */
export async function writeBehind(
  line: Line,
  handle: Buffer,
  fromByte: number,
  bytes: Readable,
  confirmed: () => void,
): Promise<void> {
  let unconfirmed = 0;
  let failure: unknown = null;
  let wake: () => void = () => undefined;
  const settled = (error: unknown): void => {
    unconfirmed -= 1;
    failure ??= error;
    wake();
  };
  const isConfirmed = (): void => {
    confirmed();
    settled(null);
  };
  const until = async (most: number): Promise<void> => {
    while (failure === null && unconfirmed > most) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure !== null) throw failure;
  };
  const { requestBytes } = line;
  const mostUnconfirmed = Math.floor(unconfirmedBytes / requestBytes);
  let position = fromByte;
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    for (let at = 0; at < piece.byteLength; at += requestBytes) {
      await until(mostUnconfirmed - 1);
      const count = Math.min(requestBytes, piece.byteLength - at);
      unconfirmed += 1;
      const start = position;
      line
        .have((sftp, answer) => sftp.write(handle, piece, at, count, start, answer))
        .then(isConfirmed, settled);
      position += count;
    }
  }
  await until(0);
}
