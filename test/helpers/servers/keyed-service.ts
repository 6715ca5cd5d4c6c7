import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobAnswer, mediaAnswer, progressAnswer, reportAnswer } from './fake-answers.js';

/** A request line and the key header, as an access log and the application see them. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query, as in an access log. */
  readonly target: string;
  readonly headerKey: string | null;
}

/** A service that accepts the key in one place only and logs every request. */
export interface KeyedService {
  readonly url: string;
  readonly key: string;
  readonly log: LoggedRequest[];
  close(): Promise<void>;
}

const key = 'a-key-that-must-not-be-logged';

/**
 * Starts a service on a free loopback port that accepts its key only in the header or only in the query (`api_key`), and answers 401
 * otherwise. Job 1001 is finished. Its file is at `/kept/`, which needs no key; its event stream ends with the final state.
 */
export async function startKeyedService(keyIn: 'header' | 'query'): Promise<KeyedService> {
  const log: LoggedRequest[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service');
    const headerKey = headerOf(request);
    log.push({ method: request.method ?? '', target: request.url ?? '', headerKey });
    request.resume();
    if (url.pathname.startsWith('/kept/')) response.end('the bytes of an output');
    else if ((keyIn === 'header' ? headerKey : url.searchParams.get('api_key')) !== key) {
      send(response, 401, { errors: ['The API key is missing or wrong.'] });
    } else answer(request.method ?? '', url.pathname, response, `http://${request.headers.host}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    log,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(method: string, path: string, response: ServerResponse, store: string): void {
  const details = jobAnswer(1001, 'finished', store);
  const answers: Readonly<Record<string, () => unknown>> = {
    'POST /v2/jobs': () => ({ id: 1001, outputs: [{ id: 21001 }] }),
    'GET /v2/jobs.json': () => [details],
    'GET /v2/jobs/1001.json': () => details,
    'GET /v2/inputs/11001.json': () => mediaAnswer(true, 1001, 'finished', store),
    'GET /v2/outputs/21001.json': () => mediaAnswer(false, 1001, 'finished', store),
    'GET /v2/outputs/21001/progress.json': () => progressAnswer,
    'GET /v2/reports/vod.json': () => reportAnswer(true),
    'GET /v2/reports/all.json': () => reportAnswer(true),
  };
  const line = `${method} ${path}`;
  if (/^PUT \/v2\/jobs\/1001\/(cancel|resubmit)\.json$/.test(line)) {
    response.writeHead(204).end();
  } else if (line === 'GET /v2/jobs/1001/events') {
    const progress = {
      state: 'finished',
      progress: 100,
      input: { id: 11001, state: 'finished', progress: 100 },
    };
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`id: 1\ndata: ${JSON.stringify({ ...progress, outputs: [] })}\n\n`);
  } else if (answers[line] === undefined) send(response, 404, { errors: ['Not found.'] });
  else send(response, method === 'POST' ? 201 : 200, answers[line]());
}

function headerOf({ headers }: IncomingMessage): string | null {
  const value = headers['service-api-key'];
  return typeof value === 'string' ? value : null;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}
