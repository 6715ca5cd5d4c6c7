import type { Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';
import { requestBytesOf } from './request-size.js';

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
