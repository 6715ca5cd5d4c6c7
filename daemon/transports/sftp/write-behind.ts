import type { Readable } from 'node:stream';
import type { SftpChannel } from './sftp-channel.js';

/**
 * How much may be unconfirmed: hides the way there and back. A server may hold that much behind the last confirmed byte in any order when a
 * connection breaks.
 */
export const maxUnconfirmedBytes = 1 << 21;

/** Writes a stream to an open file from an offset on, many requests at once. Resolves when the server has confirmed every one. */
export async function writeBehind(
  channel: SftpChannel,
  handle: Buffer,
  fromByte: number,
  bytes: Readable,
  onConfirmed: () => void,
): Promise<void> {
  let unconfirmed = 0;
  let failure: unknown = null;
  let wake: () => void = () => undefined;
  const onSettled = (error: unknown): void => {
    unconfirmed -= 1;
    failure ??= error;
    wake();
  };
  const onWriteConfirmed = (): void => {
    onConfirmed();
    onSettled(null);
  };
  const waitUntilAtMost = async (maxUnconfirmed: number): Promise<void> => {
    while (failure === null && unconfirmed > maxUnconfirmed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure !== null) throw failure;
  };
  const { requestBytes } = channel;
  const maxUnconfirmedRequests = Math.floor(maxUnconfirmedBytes / requestBytes);
  let position = fromByte;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    for (let offset = 0; offset < chunk.byteLength; offset += requestBytes) {
      await waitUntilAtMost(maxUnconfirmedRequests - 1);
      const count = Math.min(requestBytes, chunk.byteLength - offset);
      unconfirmed += 1;
      const start = position;
      channel
        .callVoid((sftp, callback) => sftp.write(handle, chunk, offset, count, start, callback))
        .then(onWriteConfirmed, onSettled);
      position += count;
    }
  }
  await waitUntilAtMost(0);
}
