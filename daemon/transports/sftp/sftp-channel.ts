import type { Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';

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
      request(sftp, (error, value) => {
        if (error) reject(error);
        else resolve(value);
      });
    });
  return {
    requestBytes: requestBytesOf(sftp),
    call,
    callVoid: (request) =>
      call<undefined>((wrapper, callback) => request(wrapper, (error) => callback(error, undefined))),
  };
}

/** Fits into one packet of every server, with the header of the request. */
const smallBytes = 31 << 10;
/** Reduces the work of both sides to a quarter. OpenSSH before 8.5 returns half of it; the rest is requested again. */
const largeBytes = 128 << 10;

/**
 * Bytes of file data per request. The library splits larger requests into sequential ones. It queries the limits of the
 * server but has no API for them, so they are read from its private fields.
 */
function requestBytesOf(sftp: SFTPWrapper): number {
  const limits: Readonly<Record<string, unknown>> = { ...sftp };
  const supportsLargeRequests = ['_maxReadLen', '_maxWriteLen'].every(
    (name) => Number(limits[name] ?? 0) >= largeBytes,
  );
  return supportsLargeRequests ? largeBytes : smallBytes;
}
