import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody } from '../../daemon/http/body.js';
import { isVencError } from '../../src/shared/errors.js';

/** The result of a body: its value, or the error response. */
export interface BodyAnswer {
  readonly status: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** A server that only reads bodies. */
export interface BodyServer {
  readonly port: number;
  /** Sends a body with only these headers; an array is sent in chunks. */
  send(
    body: Buffer | string | readonly Buffer[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<BodyAnswer>;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. */
export async function startBodyServer(maxBytes?: number): Promise<BodyServer> {
  const server = createServer((incoming, outgoing) => {
    readBody(incoming, maxBytes).then(
      (value) => outgoing.end(JSON.stringify({ status: 200, value })),
      (error: unknown) => {
        const answer: BodyAnswer = isVencError(error)
          ? { status: error.entry.status, error: error.message }
          : { status: 500, error: String(error) };
        outgoing.end(JSON.stringify(answer));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    send: (body, headers = {}) => send(port, body, headers),
    close: () => closed(server),
  };
}

function send(
  port: number,
  body: Buffer | string | readonly Buffer[],
  headers: Readonly<Record<string, string>>,
): Promise<BodyAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as BodyAnswer));
      response.on('error', reject);
    });
    sent.on('error', reject);
    if (Array.isArray(body)) {
      for (const chunk of body) sent.write(chunk);
      sent.end();
    } else sent.end(body);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
