import type { Readable } from 'node:stream';
import type { OnChunks } from '../file-server/file-server.js';
import type { SftpChannel } from './sftp-channel.js';

/** What is handed on at once, at most: larger than an answer, since every piece costs its receiver something. */
const maxChunkBytes = 1 << 18;
/** 2 MiB under way hide the way there and back, and are all that is kept in memory. */
const maxPendingChunks = 8;

/** A piece on its way, into a buffer that is used again. */
interface PendingChunk {
  readonly buffer: Buffer;
  readonly requestedBytes: number;
  readonly bytesRead: Promise<number>;
}

/**
 * Reads an open file from an offset to its end, many requests at once, and hands its bytes on in order. Where the file goes on behind
 * `sizeBytes`, a little more is handed on for the receiver to see, and no further.
 */
export async function readAhead(
  channel: SftpChannel,
  handle: Buffer,
  range: { readonly fromByte: number; readonly sizeBytes: number },
  onChunks: OnChunks,
): Promise<void> {
  const freeBuffers: Buffer[] = [];
  const chunks: PendingChunk[] = [];
  const { requestBytes } = channel;
  const chunkBytes = Math.floor(maxChunkBytes / requestBytes) * requestBytes;
  let requestedTo = range.fromByte;
  const requestChunk = (remainingBytes: number): void => {
    const buffer = freeBuffers.pop() ?? Buffer.allocUnsafe(chunkBytes);
    const requestedBytes = Math.min(chunkBytes, Math.ceil(remainingBytes / requestBytes) * requestBytes);
    const bytesRead = readChunk(channel, handle, buffer, requestedBytes, requestedTo);
    // Thrown when the read reaches it; until then it must not count as an unhandled rejection.
    bytesRead.catch(() => undefined);
    chunks.push({ buffer, requestedBytes, bytesRead });
    requestedTo += requestedBytes;
  };
  for (;;) {
    while (requestedTo < range.sizeBytes && chunks.length < maxPendingChunks)
      requestChunk(range.sizeBytes - requestedTo);
    const isPastEnd = chunks.length === 0;
    if (isPastEnd) requestChunk(1);
    const chunk = chunks.shift();
    if (chunk === undefined) return;
    const bytes = await chunk.bytesRead;
    if (bytes > 0) await onChunks([chunk.buffer.subarray(0, bytes)]);
    freeBuffers.push(chunk.buffer);
    if (bytes < chunk.requestedBytes || isPastEnd) return;
  }
}

/** Fills a buffer from an offset on; resolves to how much of it is filled: less than wanted at the end of the file only. */
async function readChunk(
  channel: SftpChannel,
  handle: Buffer,
  buffer: Buffer,
  requestedBytes: number,
  startByte: number,
): Promise<number> {
  const { requestBytes } = channel;
  const starts = Array.from({ length: requestedBytes / requestBytes }, (_, index) => index * requestBytes);
  const counts = await Promise.all(
    starts.map((offset) => readFull(channel, handle, buffer, offset, startByte)),
  );
  const firstShort = counts.findIndex((count) => count < requestBytes);
  return firstShort < 0 ? requestedBytes : firstShort * requestBytes + (counts[firstShort] ?? 0);
}

/** One request's worth, asked again for the rest where a server answers with less. */
async function readFull(
  channel: SftpChannel,
  handle: Buffer,
  buffer: Buffer,
  offset: number,
  startByte: number,
): Promise<number> {
  const { requestBytes } = channel;
  let done = 0;
  while (done < requestBytes) {
    const count = await readOnce(
      channel,
      handle,
      buffer,
      offset + done,
      requestBytes - done,
      startByte + offset + done,
    );
    if (count === 0) break;
    done += count;
  }
  return done;
}

function readOnce(
  channel: SftpChannel,
  handle: Buffer,
  buffer: Buffer,
  offset: number,
  bytes: number,
  position: number,
): Promise<number> {
  return channel.call((sftp, callback) => sftp.read(handle, buffer, offset, bytes, position, callback));
}

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
