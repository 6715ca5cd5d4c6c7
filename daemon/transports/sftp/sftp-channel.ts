import type { Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';
import type { OnChunks, ReadPieces } from '../file-server/file-server.js';

type SftpCallback<Value> = (error: Error | null | undefined, value: Value) => void;

/** Sends the requests of one session. */
export interface SftpChannel {
  /** Bytes of file data per request. */
  readonly requestBytes: number;
  /** Sends a request with ssh2. Rejects with its error, or if the connection is closed. */
  call<Value>(request: (sftp: SFTPWrapper, callback: SftpCallback<Value>) => void): Promise<Value>;
  /** Same, for a request without a result. */
  callVoid(request: (sftp: SFTPWrapper, callback: (error?: Error | null) => void) => void): Promise<void>;
}

/**
 * Creates the channel of a connection. The library never settles requests that are sent after the connection ends; this
 * channel does.
 */
export function openSftpChannel(sftp: SFTPWrapper, socket: Socket): SftpChannel {
  let isClosed = false;
  const onClose = () => {
    isClosed = true;
  };
  socket.once('close', onClose);
  sftp.once('end', onClose);
  // The session cannot recover from a protocol error.
  sftp.on('error', (error: Error) => socket.destroy(error));
  const call: SftpChannel['call'] = (request) =>
    new Promise((resolve, reject) => {
      if (isClosed || socket.destroyed) throw new Error('the connection is closed');
      // The library writes a large request in packets of 32 KiB: this makes one system call of them.
      socket.cork();
      try {
        request(sftp, (error, value) => {
          if (error) reject(error);
          else resolve(value);
        });
      } finally {
        socket.uncork();
      }
    });
  return {
    requestBytes: requestBytesOf(sftp),
    call,
    callVoid: (request) =>
      call<undefined>((wrapper, callback) => request(wrapper, (error) => callback(error, undefined))),
  };
}

/**
 * Sizes of requests, the largest first. Large ones reduce the work of both sides. 255 KiB is the limit that OpenSSH
 * reports since version 8.5, and fills eight packets of a connection. Before, it accepted 128 KiB, and returned half of
 * it, so that the rest is requested again. The smallest fits into one packet of every server, with its header.
 */
const requestSizes = [255 << 10, 128 << 10] as const;
const smallestBytes = 31 << 10;

/**
 * Bytes of file data per request. The library splits larger requests into sequential ones. It queries the limits of the
 * server but has no API for them, so they are read from its private fields.
 */
function requestBytesOf(sftp: SFTPWrapper): number {
  const limits: Readonly<Record<string, unknown>> = { ...sftp };
  const maxBytes = Math.min(...['_maxReadLen', '_maxWriteLen'].map((name) => Number(limits[name] ?? 0)));
  return requestSizes.find((bytes) => bytes <= maxBytes) ?? smallestBytes;
}

/** Maximum size of a chunk: larger than one response, because each chunk has a fixed cost for its receiver. */
const maxChunkBytes = 1 << 18;
/** 2 MiB of pending requests hide the round-trip time, and bound the memory. */
const maxPendingChunks = 8;

/** A requested chunk, with its reused buffer. */
interface PendingChunk {
  readonly buffer: Buffer;
  readonly requestedBytes: number;
  readonly bytesRead: Promise<number>;
}

/**
 * Reads an open file from an offset to its end with pipelined requests, and passes the bytes on in order. If the file
 * is longer than `sizeBytes`, one more chunk is passed on so that the receiver detects it.
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

/**
 * Fills a buffer from an offset on. Resolves to the number of bytes read, which is less than requested only at the end
 * of the file.
 */
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

/** Reads one request size. Requests the rest again if the server returns less. */
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
 * Maximum number of unconfirmed bytes, which hides the round-trip time. When a connection breaks, the server may have
 * written any part of them.
 */
export const maxUnconfirmedBytes = 1 << 21;

/** What is written to an open file. */
interface WriteBehindOptions {
  readonly fromByte: number;
  readonly readPieces: ReadPieces;
  /** Called when the server has confirmed a request. */
  readonly onConfirmed: () => void;
}

/**
 * Writes pieces to an open file from an offset on with pipelined requests. Resolves when the server has confirmed all of
 * them. The library copies the bytes of a request, so that a piece need not stay valid until it is confirmed.
 */
export async function writeBehind(
  channel: SftpChannel,
  handle: Buffer,
  { fromByte, readPieces, onConfirmed }: WriteBehindOptions,
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
  await readPieces(async (piece) => {
    for (let offset = 0; offset < piece.byteLength; offset += requestBytes) {
      await waitUntilAtMost(maxUnconfirmedRequests - 1);
      const count = Math.min(requestBytes, piece.byteLength - offset);
      unconfirmed += 1;
      const start = position;
      channel
        .callVoid((sftp, callback) => sftp.write(handle, piece, offset, count, start, callback))
        .then(onWriteConfirmed, onSettled);
      position += count;
    }
  });
  await waitUntilAtMost(0);
}
