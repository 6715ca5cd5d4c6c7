import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startS3rver } from './s3rver.js';

/** What happens to a request: it is answered with an error, never answered, or broken off; null to pass it on. */
type RequestFailure =
  | readonly [status: number, code: string]
  | 'unanswered'
  | 'broken off'
  | 'answer cut in the middle'
  | null;

/** A bucket behind a proxy that makes requests fail. */
export interface FailingBucket {
  readonly endpoint: string;
  /** The folder of the objects of its server. */
  readonly folder: string;
  /** Decides about each request. */
  failWith: (request: IncomingMessage) => RequestFailure;
  close(): Promise<void>;
}

/** Starts a server with the bucket `films`. */
export async function startFailingBucket(): Promise<FailingBucket> {
  const storage = await startS3rver(['films']);
  const proxy = createServer((asked, answer) => {
    const failure = bucket.failWith(asked);
    if (failure === 'unanswered') return void asked.resume();
    if (failure === 'broken off') return void asked.socket.destroy();
    if (failure !== null && failure !== 'answer cut in the middle') {
      const [status, code] = failure;
      const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
      asked.resume().once('end', () => {
        answer.writeHead(status, { 'content-type': 'application/xml' }).end(body);
      });
      return;
    }
    const { method, url: path, headers } = asked;
    const onward = httpRequest(
      { host: '127.0.0.1', port: storage.port, method, path, headers },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 500, answered.headers);
        if (failure === null) return void answered.pipe(answer);
        let leftBytes = Number(answered.headers['content-length']) / 2;
        answered.on('data', (chunk: Buffer) => {
          if (chunk.length < leftBytes) answer.write(chunk);
          else answer.write(chunk.subarray(0, leftBytes), () => answer.destroy());
          leftBytes -= Math.min(leftBytes, chunk.length);
        });
      },
    );
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const bucket: FailingBucket = {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    folder: storage.folder,
    failWith: () => null,
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await storage.close();
    },
  };
  return bucket;
}
