import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { processKey } from '../daemon-process.js';
import type { Latencies } from './latencies.js';

/** A response, with its complete body. */
export interface LoadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** The parsed body. Throws for a body that is not JSON. */
  json<T>(): T;
}

/** The optional parts of a request. */
interface LoadRequestParts {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * A client that keeps its connections, and measures every request under a name. Unlike `fetch` in tests, it does not compare responses with
 * the OpenAPI document, which takes longer than most of the requests.
 */
export class JsonClient {
  readonly #agent: Agent;

  constructor(
    private readonly url: string,
    private readonly latencies: Latencies,
    connections: number,
    private readonly key: string = processKey,
  ) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends a request. Resolves whatever the status is; rejects if the connection breaks. */
  send(
    name: string,
    path: string,
    { method = 'GET', headers = {}, body }: LoadRequestParts = {},
  ): Promise<LoadAnswer> {
    const text = body === undefined ? null : JSON.stringify(body);
    const sent = {
      'Service-Api-Key': this.key,
      ...headers,
      ...(text === null
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    };
    return this.latencies.time(name, async () => {
      const outgoing = request(new URL(path, this.url), { method, headers: sent, agent: this.#agent });
      const answered = new Promise<LoadAnswer>((resolve, reject) => {
        outgoing.on('error', reject);
        outgoing.on('response', (incoming) => {
          buffer(incoming).then(
            (bytes) =>
              resolve({
                status: incoming.statusCode ?? 0,
                headers: incoming.headers,
                body: bytes,
                json: () => JSON.parse(bytes.toString('utf8')),
              }),
            reject,
          );
        });
      });
      outgoing.end(text ?? undefined);
      return answered;
    });
  }

  /** Sends a request that must be answered with this status. Rejects with the body otherwise. */
  async expect(
    status: number,
    name: string,
    path: string,
    parts: LoadRequestParts = {},
  ): Promise<LoadAnswer> {
    const answer = await this.send(name, path, parts);
    if (answer.status !== status)
      throw new Error(`${parts.method ?? 'GET'} ${path}: ${answer.status} ${answer.body.toString('utf8')}`);
    return answer;
  }

  /** Reads a record with GET. */
  async read<T>(name: string, path: string): Promise<T> {
    return (await this.expect(200, name, path)).json<T>();
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }
}
