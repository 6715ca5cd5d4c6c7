import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobState } from '../../../src/shared/states.js';
import { jobRecord } from '../../tui/records.js';

/** A request as the service received it. */
export interface SeenEventRequest {
  readonly path: string;
  readonly lastEventId: string | undefined;
  readonly accept: string | undefined;
}

/** How a request for events is answered: with an event stream, or by a function. */
export type EventAnswer = 'events' | ((response: ServerResponse) => void);

/** A service with event streams, whose jobs' progress the test controls. */
export interface EventService {
  readonly url: string;
  readonly seen: readonly SeenEventRequest[];
  /** Paths of the requests, in order. */
  paths(): readonly string[];
  /** Number of open streams. */
  streamCount(): number;
  /** Sets the progress of a job and sends it to every open stream of the job. `percent` 100 is finished. */
  move(id: number, percent: number): void;
  /** Sets the states in the details of a job, if they differ from its stream. */
  details(id: number, states: readonly JobState[]): void;
  /** Sets how the next requests for events are answered, one after the other; `events` after the last. */
  answerEvents(...answers: readonly EventAnswer[]): void;
  /** Closes all streams abruptly. */
  breakStreams(): void;
  close(): Promise<void>;
}

/** Starts a service with these jobs, all of them waiting. */
export async function startEventService(ids: readonly number[]): Promise<EventService> {
  const seen: SeenEventRequest[] = [];
  const percents = new Map(ids.map((id) => [id, -1]));
  const scripts = new Map<number, JobState[]>();
  const answers: EventAnswer[] = [];
  const streams = new Map<ServerResponse, number>();

  const details = (id: number) => {
    const script = scripts.get(id) ?? [];
    const state = (script.length > 1 ? script.shift() : script[0]) ?? stateAt(percents.get(id) ?? -1);
    return { job: jobRecord(id, { state }) };
  };

  const openStream = (id: number, request: IncomingMessage, response: ServerResponse) => {
    const percent = percents.get(id) ?? -1;
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write('retry: 10\n\n');
    if (request.headers['last-event-id'] !== String(percent)) response.write(eventText(id, percent));
    streams.set(response, id);
    response.on('close', () => streams.delete(response));
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\.json$/, '');
    const [, word = '', rest = ''] = /^\/v2\/jobs\/(\d+)(.*)$/.exec(path) ?? [];
    const lastEventId = request.headers['last-event-id'];
    seen.push({
      path,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      accept: request.headers.accept,
    });
    const id = Number(word);
    if (path === '/v2/jobs') json(response, 200, [...percents.keys()].map(details));
    else if (!percents.has(id)) json(response, 404, { errors: ['There is no such job.'] });
    else if (rest === '/progress') json(response, 200, progress(id, percents.get(id) ?? -1));
    else if (rest === '') json(response, 200, details(id));
    else {
      const next = answers.shift() ?? 'events';
      if (next === 'events') openStream(id, request, response);
      else next(response);
    }
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    paths: () => seen.map(({ path }) => path),
    streamCount: () => streams.size,
    move: (id, percent) => {
      percents.set(id, percent);
      for (const [response, of] of streams) if (of === id) response.write(eventText(id, percent));
    },
    details: (id, states) => scripts.set(id, [...states]),
    answerEvents: (...given) => void answers.push(...given),
    breakStreams: () => {
      for (const response of streams.keys()) response.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function stateAt(percent: number): JobState {
  if (percent < 0) return 'waiting';
  return percent === 100 ? 'finished' : 'processing';
}

function progress(id: number, percent: number): object {
  const state = stateAt(percent);
  const file = { state, progress: Math.max(0, percent) };
  return { ...file, input: { id: id + 1, ...file }, outputs: [{ id: id + 2, ...file }] };
}

function eventText(id: number, percent: number): string {
  return `id: ${percent}\ndata: ${JSON.stringify(progress(id, percent))}\n\n`;
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}
