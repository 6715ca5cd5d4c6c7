import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadRequest, LoadResult } from './load.js';

/** The load generator, in a process of its own. */
export interface LoadGenerator {
  /** Carries out one order after the other. Rejects on the first answer that is not as ordered. */
  run(order: LoadRequest): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** What is asked of a server: the same for all slices, but for their end. */
export type Load = Omit<LoadRequest, 'atMost' | 'connections'>;

/** Starts a load generator. */
export function startLoad(): LoadGenerator {
  // The structured clone knows what is infinite, which JSON doesn't.
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  return {
    async run(order) {
      child.send(order);
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [
        { readonly result?: LoadResult; readonly error?: string } | number | null,
      ];
      if (typeof answer === 'object' && answer?.result !== undefined) return answer.result;
      const why = typeof answer === 'object' ? answer?.error : `it ended with ${answer}`;
      throw new Error(`the load generator failed: ${why}`);
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}

/** A request as it goes over the wire. */
export function wireRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body = '' }: WireParts = {},
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

/** What a request may have beside its path. */
export interface WireParts {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of ASCII alone. */
  readonly body?: string;
}

/** A load of GETs, each asked once beforehand to know how long its answer has to be. */
export async function loadOf(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Load & { readonly lengths: readonly number[] }> {
  const lengths: number[] = [];
  for (const path of paths) {
    const response = await fetch(url + path, { headers });
    const { byteLength } = await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url}${path} answered ${response.status}`);
    lengths.push(byteLength);
  }
  const requests = paths.map((path) => wireRequest(url, path, { headers }));
  return { port: Number(new URL(url).port), requests, lengths, status: 200 };
}
