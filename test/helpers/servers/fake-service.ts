import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A service made from the document alone, by somebody else: numbers come as text, keys are left out, errors are HTML
 * pages, and there is nothing that only our own daemon has (no progress of jobs, no uploads, no filter by state).
 */

/** A request as the service saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly key: string | undefined;
  readonly body: string;
}

/** A service that runs, and what can be asked of it in tests. */
export interface FakeService {
  readonly url: string;
  readonly key: string;
  readonly seen: SeenRequest[];
  /** Sets the states that the details of a job tell one after the other; the last stays. Without this jobs are finished. */
  states(id: number, states: readonly string[]): void;
  /** Answers the next requests with an HTML page of this status, before anything else. */
  failNext(status: number, times: number): void;
  close(): Promise<void>;
}

/** Ids below this are no jobs; 1000 jobs at most; a job's input is its id + 10000, its output its id + 20000. */
const firstJob = 1001;
const jobCount = 3;
const key = 'key-of-the-fake-service';

/** Starts one on a free port of the loopback. */
export async function startFakeService(): Promise<FakeService> {
  const seen: SeenRequest[] = [];
  const scripts = new Map<number, string[]>();
  const failing = { status: 0, times: 0 };
  const stateOf = (id: number) => {
    const script = scripts.get(id) ?? ['finished'];
    return (script.length > 1 ? script.shift() : script[0]) ?? 'finished';
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const sent = request.headers['service-api-key'];
    seen.push({
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      key: typeof sent === 'string' ? sent : undefined,
      body: await bodyOf(request),
    });
    const given = sent ?? url.searchParams.get('api_key');
    if (failing.times > 0) {
      failing.times -= 1;
      page(response, failing.status);
    } else if (given !== key) page(response, url.pathname === '/v2/jobs.json' ? 401 : 404);
    else answer(request.method ?? '', url.pathname, seen.at(-1)?.body ?? '', response, stateOf);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    seen,
    states: (id, states) => scripts.set(id, [...states]),
    failNext: (status, times) => Object.assign(failing, { status, times }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  method: string,
  path: string,
  body: string,
  response: ServerResponse,
  stateOf: (id: number) => string,
): void {
  if (method === 'POST' && path === '/v2/jobs') {
    if (body.includes('refuse-me')) page(response, 422);
    else json(response, 201, { id: '1001', outputs: [{ id: '21001' }] });
    return;
  }
  if (path === '/v2/jobs.json') {
    const ids = Array.from({ length: jobCount }, (_, index) => firstJob + jobCount - 1 - index);
    json(
      response,
      200,
      ids.map((id) => job(id, stateOf(id))),
    );
    return;
  }
  const [, kind = '', word = '', rest = ''] = /^\/v2\/(jobs|inputs|outputs)\/(\d+)(.*)$/.exec(path) ?? [];
  const id = Number(word) - { jobs: 0, inputs: 10_000, outputs: 20_000, '': 0 }[kind as 'jobs'];
  if (id < firstJob || id >= firstJob + jobCount) page(response, 404);
  else if (kind === 'jobs' && rest === '.json') json(response, 200, job(id, stateOf(id)));
  else if (kind === 'jobs' && rest === '/cancel.json') page(response, stateOf(id) === 'finished' ? 409 : 204);
  else if (kind === 'jobs' && rest === '/resubmit.json')
    page(response, stateOf(id) === 'finished' ? 409 : 403);
  else if (kind !== 'jobs' && rest === '.json')
    json(response, 200, { id: word, state: 'finished', width: '640' });
  else if (kind !== 'jobs' && rest === '/progress.json') {
    json(response, 200, { state: 'processing', current_event: 'Transcoding', progress: '41.5' });
  } else page(response, 404);
}

function job(id: number, state: string): object {
  const file = {
    url: `s3://bucket/${id}.mov`,
    state,
    duration_in_ms: '5067',
    file_size_bytes: '862748',
    width: '640',
  };
  const fault =
    state === 'failed'
      ? { error_class: 'FileNotFoundError', error_message: 'There is no \u001b[31msuch\u001b[0m file.' }
      : {};
  return {
    job: {
      id: String(id),
      state,
      created_at: '2026-01-02T03:04:05Z',
      input_media_file: { ...file, ...fault, id: String(id + 10_000) },
      output_media_files: [{ ...file, id: String(id + 20_000), label: null }],
      made_by: 'somebody else',
    },
  };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

function page(response: ServerResponse, status: number): void {
  if (status === 204) response.writeHead(204).end();
  else {
    response
      .writeHead(status, { 'Content-Type': 'text/html', 'Retry-After': '0' })
      .end(`<html><body><h1>${status}</h1></body></html>`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
