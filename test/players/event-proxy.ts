import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobChangesRecord } from '../../src/shared/records.js';

/** A proxy in front of a daemon that answers the event streams of the page itself. */
export interface EventProxy {
  readonly url: string;
  /** Number of streams that the page has opened so far. */
  readonly streamCount: number;
  /** Sends a message to the newest stream. Resolves when the connection has accepted it. */
  send(message: Partial<JobChangesRecord>): Promise<void>;
  close(): Promise<void>;
}

/** What a proxy does with a stream: `open` can be sent messages; the others keep back all events, or the whole answer. */
export type EventMode = 'open' | 'no events' | 'no answer';

/** Starts a proxy to a daemon on a free port. The test may change `mode.now` for later streams; `null` passes them on. */
export async function startEventProxy(
  daemonUrl: string,
  mode: { now: EventMode | null } = { now: 'open' },
): Promise<EventProxy> {
  const streams: ServerResponse[] = [];
  let lastId = 0;
  const pass = (near: IncomingMessage, answer: ServerResponse) => {
    const { method, headers, url = '' } = near;
    const far = request(`${daemonUrl}${url}`, { method, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 0, received.headers);
      received.pipe(answer);
    });
    far.on('error', () => near.destroy());
    answer.on('close', () => far.destroy());
    near.pipe(far);
  };
  const server = createServer((near, answer) => {
    if (mode.now === null || near.url?.startsWith('/ui/api/events') !== true) return pass(near, answer);
    streams.push(answer);
    if (mode.now === 'no answer') return;
    answer.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' }).flushHeaders();
    if (mode.now === 'open') answer.write('retry: 1000\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get streamCount() {
      return streams.length;
    },
    async send(message) {
      lastId += 1;
      const data = JSON.stringify({ jobs: [], removed: [], ...message });
      const stream = streams.at(-1);
      if (stream === undefined) throw new Error('The page has opened no stream.');
      await new Promise<void>((resolve, reject) => {
        stream.write(`id: ${lastId}\ndata: ${data}\n\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
