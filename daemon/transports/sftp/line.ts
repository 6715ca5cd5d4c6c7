import type { Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';
import { requestBytesOf } from './request-size.js';

type Answer<Value> = (error: Error | null | undefined, value: Value) => void;

/** The requests of one login. */
export interface Line {
  /** How many bytes of a file one request is to hold. */
  readonly requestBytes: number;
  /** Makes a request of ssh2. Rejects with its error, also where the connection is gone already. */
  ask<Value>(request: (sftp: SFTPWrapper, answer: Answer<Value>) => void): Promise<Value>;
  /** The same for a request whose answer is that it was done. */
  have(request: (sftp: SFTPWrapper, answer: (error?: Error | null) => void) => void): Promise<void>;
}

/** Puts requests on a connection. The library itself leaves those unanswered that are made after its end. */
export function openLine(sftp: SFTPWrapper, socket: Socket): Line {
  let isGone = false;
  const gone = () => {
    isGone = true;
  };
  socket.once('close', gone);
  sftp.once('end', gone);
  // What it cannot understand it would understand no better later on.
  sftp.on('error', (error: Error) => socket.destroy(error));
  const ask: Line['ask'] = (request) =>
    new Promise((resolve, reject) => {
      if (isGone || socket.destroyed) throw new Error('the connection is gone');
      request(sftp, (error, value) => {
        if (error) reject(error);
        else resolve(value);
      });
    });
  return {
    requestBytes: requestBytesOf(sftp),
    ask,
    have: (request) => ask<undefined>((own, answer) => request(own, (error) => answer(error, undefined))),
  };
}
