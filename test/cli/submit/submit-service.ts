import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'uvu';
import { tempFolder } from '../../helpers/temp.js';
import type { CliResult } from '../run-cli.js';
import { runInProcess } from '../run-here.js';

/** A request as the service received it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The context of the tests of `venc submit`: a loopback service with configurable responses to creates. */
export interface SubmitContext {
  server: Server;
  folder: string;
  seen: Seen[];
  /** The responses to the next creates, before they are accepted: a status, or `cut` for a broken connection. */
  failures: (number | 'cut')[];
  /** The name that `/version` returns. */
  name: string;
  /** The environment that selects the service. */
  env: Readonly<Record<string, string>>;
  venc: (words: readonly string[], stdin?: string) => Promise<CliResult>;
}

/** Adds such a service to a suite. */
export function withService(test: Test<SubmitContext>): void {
  test.before(async (context) => {
    context.folder = tempFolder();
    context.server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { method = '', url = '', headers } = request;
      const path = url.replace(/\?.*/, '');
      context.seen.push({ method, path, headers, body });
      response.setHeader('Content-Type', 'application/json');
      if (path.startsWith('/version'))
        return response.end(JSON.stringify({ name: context.name, version: '1' }));
      if (method === 'PUT')
        return response.end(JSON.stringify({ url: `upload://t/${path.split('/').at(-1)}` }));
      const failure = context.failures.shift();
      if (failure === 'cut') return response.destroy();
      if (failure === 429) response.setHeader('Retry-After', '1');
      if (failure !== undefined) return response.writeHead(failure).end('{"errors": ["not so"]}');
      if (body.includes('"mock"')) return response.writeHead(201).end('{"id": null, "outputs": []}');
      return response
        .writeHead(201)
        .end(JSON.stringify({ id: String(100 + creates(context.seen).length), outputs: [] }));
    });
    await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
    // A server that listens on a port has an address of this form.
    const { port } = context.server.address() as AddressInfo;
    const env = { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
    context.env = env;
    context.venc = (words, stdin) =>
      runInProcess(['submit', ...words], { env, ...(stdin === undefined ? {} : { stdin }) });
  });
  test.after(({ server }) => void server.close());
  test.before.each((context) => {
    context.seen = [];
    context.failures = [];
    context.name = 'venc';
  });
}

/** The creates that the service received, without the checks before an upload. */
export function creates(seen: readonly Seen[]): readonly Seen[] {
  return seen.filter(({ method, body }) => method === 'POST' && !body.includes('http://example.com/to-come'));
}

/** Their parsed bodies. */
export function bodies(seen: readonly Seen[]): readonly Record<string, unknown>[] {
  return creates(seen).map(({ body }) => JSON.parse(body));
}
