import type { Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';

type SftpCallback<Value> = (error: Error | null | undefined, value: Value) => void;

/** The requests of one login. */
export interface SftpChannel {
  /** How many bytes of a file one request is to hold. */
  readonly requestBytes: number;
  /** Makes a request of ssh2. Rejects with its error, also where the connection is gone already. */
  call<Value>(request: (sftp: SFTPWrapper, callback: SftpCallback<Value>) => void): Promise<Value>;
  /** The same for a request whose answer is that it was done. */
  callVoid(request: (sftp: SFTPWrapper, callback: (error?: Error | null) => void) => void): Promise<void>;
}

/** Puts requests on a connection. The library itself leaves those unanswered that are made after its end. */
export function openSftpChannel(sftp: SFTPWrapper, socket: Socket): SftpChannel {
  let isClosed = false;
  const onClose = () => {
    isClosed = true;
  };
  socket.once('close', onClose);
  sftp.once('end', onClose);
  // What it cannot understand it would understand no better later on.
  sftp.on('error', (error: Error) => socket.destroy(error));
  const call: SftpChannel['call'] = (request) =>
    new Promise((resolve, reject) => {
      if (isClosed || socket.destroyed) throw new Error('the connection is gone');
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

/** What every server takes and answers in one packet, with what a request says beside its bytes. */
const smallBytes = 31 << 10;
/** A quarter of the work for both sides. OpenSSH before 8.5 answers with half of it, and is asked for the rest. */
const largeBytes = 128 << 10;

/**
 * How much to ask a server for at once, or tell it: the library splits what is too much for one into requests that wait for each other. It
 * asks servers for their limits and keeps those to itself, so that they are looked up where it has them.
 */
export function requestBytesOf(sftp: SFTPWrapper): number {
  const limits: Readonly<Record<string, unknown>> = { ...sftp };
  const supportsLargeRequests = ['_maxReadLen', '_maxWriteLen'].every(
    (name) => Number(limits[name] ?? 0) >= largeBytes,
  );
  return supportsLargeRequests ? largeBytes : smallBytes;
}
