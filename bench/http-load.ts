import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadRequest, LoadResult } from './load.js';

/** The load generator, in a separate process. */
export interface LoadGenerator {
  /** Runs one slice of load; slices run one after another. Rejects on the first unexpected response. */
  run(load: LoadRequest): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** The load on a server: the same for all slices, except for its limits. */
export type Load = Omit<LoadRequest, 'atMost' | 'connections'>;

/** Starts a load generator. */
export function startLoad(): LoadGenerator {
  // The structured clone algorithm supports Infinity; JSON does not.
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  return {
    async run(load) {
      child.send(load);
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [
        { readonly result?: LoadResult; readonly error?: string } | number | null,
      ];
      if (typeof answer === 'object' && answer?.result !== undefined) return answer.result;
      const why = typeof answer === 'object' ? answer?.error : `it exited with ${answer}`;
      throw new Error(`the load generator failed: ${why}`);
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}

/** The text of an HTTP request. */
export function formatRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body = '' }: RequestParts = {},
): string {
  const all = {
    Host: new URL(url).host,
    Accept: 'application/json',
    ...headers,
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/** The optional parts of a request. */
export interface RequestParts {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only ASCII. */
  readonly body?: string;
}

/** Creates a load of GET requests. Each is sent once beforehand to determine the length of its response. */
export async function loadOf(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Load & { readonly lengths: readonly number[] }> {
  const lengths: number[] = [];
  for (const path of paths) {
    const response = await fetch(url + path, { headers });
    const { byteLength } = await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url}${path} responded with ${response.status}`);
    lengths.push(byteLength);
  }
  const requests = paths.map((path) => formatRequest(url, path, { headers }));
  return { port: Number(new URL(url).port), requests, lengths, status: 200 };
}
