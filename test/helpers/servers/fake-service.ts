import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobAnswer, mediaAnswer, progressAnswer, reportAnswer } from './fake-answers.js';

/*
 * An independent service written from the service document: numbers are strings, keys are missing, errors are HTML pages, and nothing exists
 * that only our own daemon has (no progress of jobs, no uploads, no filter by state).
 */

/** A request as the service received it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly key: string | undefined;
  readonly body: string;
}

/** A running fake service and its controls. */
export interface FakeService {
  readonly url: string;
  readonly key: string;
  /** The content of every output, which another host serves. */
  readonly kept: string;
  readonly seen: SeenRequest[];
  /** Sets the states that the details of a job report one after the other; the last one stays. By default jobs are finished. */
  states(id: number, states: readonly string[]): void;
  /** Answers the next requests with an HTML page of this status. */
  failNext(status: number, times: number): void;
  close(): Promise<void>;
}

/** The first job id. There are at most 1000 jobs. The input of a job has its id + 10000, the output its id + 20000. */
const firstJob = 1001;
const key = 'key-of-the-fake-service';
const kept = 'the bytes of an output';

/** The state behind the responses. */
interface FakeServiceState {
  readonly stateOf: (id: number) => string;
  readonly setState: (id: number, state: string) => void;
  /** URL of the host that serves outputs. */
  readonly store: string;
  readonly unknownStatus: number;
  readonly jobCount: number;
}

/**
 * Starts a service on a free loopback port. A cancel or resubmit changes the state of a job only with `acceptsCommands`. Paths that the
 * document does not define are answered with `unknownStatus`. It has `jobCount` jobs, from 1001 on.
 */
export async function startFakeService({
  acceptsCommands = false,
  unknownStatus = 404,
  jobCount = 3,
} = {}): Promise<FakeService> {
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
    else answer(request.method ?? '', url, seen.at(-1)?.body ?? '', response, state);
  });
  const keeper = createServer((request, response) => {
    const isSigned = request.url?.includes('Signature=') === true;
    if (isSigned) response.end(kept);
    else page(response, 403);
  });
  const [port, keeperPort] = [await portOf(server), await portOf(keeper)];
  const state: FakeServiceState = {
    stateOf,
    setState: (id, state) => {
      if (acceptsCommands) scripts.set(id, [state]);
    },
    store: `http://127.0.0.1:${keeperPort}`,
    unknownStatus,
    jobCount,
  };
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    kept,
    seen,
    states: (id, states) => scripts.set(id, [...states]),
    failNext: (status, times) => Object.assign(failing, { status, times }),
    close: async () => {
      for (const each of [server, keeper]) {
        each.close();
        each.closeAllConnections();
      }
    },
  };
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function answer(
  method: string,
  { pathname: path, searchParams }: URL,
  body: string,
  response: ServerResponse,
  state: FakeServiceState,
): void {
  const { jobCount } = state;
  if (method === 'POST' && path === '/v2/jobs') {
    if (body.includes('reject-me')) page(response, 422);
    else json(response, 201, { id: '1001', outputs: [{ id: '21001' }] });
    return;
  }
  if (path === '/v2/jobs.json') {
    const ids = Array.from({ length: jobCount }, (_, index) => firstJob + jobCount - 1 - index);
    json(
      response,
      200,
      Number(searchParams.get('page') ?? 1) > 1
        ? []
        : ids.map((id) => jobAnswer(id, state.stateOf(id), state.store)),
    );
    return;
  }
  const report = /^\/v2\/reports\/(all|live)\.json$/.exec(path)?.[1];
  const [, kind = '', word = '', rest = ''] = /^\/v2\/(jobs|inputs|outputs)\/(\d+)(.*)$/.exec(path) ?? [];
  const id = Number(word) - { jobs: 0, inputs: 10_000, outputs: 20_000, '': 0 }[kind as 'jobs'];
  if (report !== undefined) json(response, 200, reportAnswer(report === 'all'));
  else if (kind === '') page(response, state.unknownStatus);
  else if (id < firstJob || id >= firstJob + jobCount) page(response, 404);
  else if (kind === 'jobs') answerJob(id, rest, response, state);
  else if (rest === '.json') json(response, 200, mediaAnswer(kind === 'inputs', id, 'finished', state.store));
  else if (rest === '/progress.json') json(response, 200, progressAnswer);
  else page(response, state.unknownStatus);
}

function answerJob(id: number, rest: string, response: ServerResponse, state: FakeServiceState): void {
  if (rest === '.json') json(response, 200, jobAnswer(id, state.stateOf(id), state.store));
  else
    page(response, /^\/(cancel|resubmit)\.json$/.test(rest) ? changed(id, rest, state) : state.unknownStatus);
}

/** Executes a cancel or a resubmit if the state allows it, and returns the status. */
function changed(id: number, rest: string, service: FakeServiceState): number {
  const isCancel = rest === '/cancel.json';
  const state = service.stateOf(id);
  if (isCancel ? state !== 'waiting' && state !== 'processing' : state === 'finished') return 409;
  if (!isCancel && state === 'failed') return 403;
  service.setState(id, isCancel ? 'cancelled' : 'waiting');
  return 204;
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
