import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as declared from '../../src/rest-client/declarations.js';

// As a constant, the compiler would look for it before it is built.
const specifier: string = 'venc/client';

/** `venc/client` as it is shipped. */
export const client = (await import(specifier)) as typeof declared;

/** A request that a service received. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request. `count` is its number, from 1. */
export type Answer = (request: SeenRequest, response: ServerResponse, count: number) => void;

/** A service that answers as a test says, and a client of it. */
export interface FakeService {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  readonly venc: declared.Venc;
  close(): void;
}

/** Starts a service at a free port of this machine. */
export async function fakeService(answer: Answer, options: declared.VencOptions = {}): Promise<FakeService> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(seen.at(-1) as SeenRequest, response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    venc: new client.Venc({ url, key: 'the-secret-key', ...options }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** The error that a call rejects with. */
export async function rejection(call: Promise<unknown>): Promise<declared.VencError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof client.VencError) return error;
    throw error;
  }
  throw new Error('the call did not reject');
}
