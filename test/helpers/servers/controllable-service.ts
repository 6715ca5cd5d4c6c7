import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobRecord } from '../../tui/records.js';

/** A service with one job, whose progress the test controls. */
export interface ControllableService {
  readonly url: string;
  /** Every request that is not a GET, e.g. `PUT /v2/jobs/7/cancel`. */
  readonly commands: readonly string[];
  /** Number of requests so far. */
  readonly asked: () => number;
  /** Sends the responses, which are held back until this call. */
  open(): void;
  /** Whether requests from now on get a broken connection instead of a response. */
  fail(isFailing: boolean): void;
  /** Sets the progress of the job; it is finished at 100. */
  move(percent: number): void;
  /** Sets the progress records of the outputs, which replace the single output of `move`. */
  outputs(records: readonly object[]): void;
  close(): Promise<void>;
}

/**
 * Starts a service whose job `id` is processing and can be cancelled and resubmitted. It does not respond before `open`. `atPort` starts it
 * again on the same port.
 */
export async function startControllableService(id: number, atPort = 0): Promise<ControllableService> {
  const commands: string[] = [];
  let asked = 0;
  let percent = 0;
  let isCancelled = false;
  let isFailing = false;
  let records: readonly object[] | null = null;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });

  const state = () => (isCancelled ? 'cancelled' : percent === 100 ? 'finished' : 'processing');
  const progress = () => ({
    state: state(),
    progress: percent,
    input: { id: id + 1, state: 'finished', progress: 100 },
    outputs: records ?? [
      {
        id: id + 2,
        state: state(),
        current_event: 'transcoding',
        current_event_progress: percent,
        progress: percent,
        fps: 48,
        speed: 2,
        eta_in_ms: (100 - percent) * 1000,
      },
    ],
  });
  const details = () => ({ job: jobRecord(id, { state: state() }) });
  const answers: Readonly<Record<string, () => unknown>> = {
    [`GET /v2/jobs/${id}/progress`]: progress,
    [`GET /v2/jobs/${id}`]: details,
    'GET /v2/jobs': () => [details()],
  };

  const server = createServer(async (request, response) => {
    asked += 1;
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\.json$/, '');
    const line = `${request.method} ${path}`;
    await opened;
    if (isFailing) {
      response.destroy();
      return;
    }
    if (request.method === 'PUT') {
      commands.push(line);
      isCancelled = path.endsWith('/cancel');
      response.writeHead(204).end();
      return;
    }
    const answer = answers[line];
    const body = JSON.stringify(answer === undefined ? { errors: ['Not found.'] } : answer());
    response.writeHead(answer === undefined ? 404 : 200, {
      'Content-Type': 'application/json; charset=utf-8',
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    commands,
    asked: () => asked,
    open,
    fail: (is) => {
      isFailing = is;
    },
    move: (to) => {
      percent = to;
    },
    outputs: (given) => {
      records = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
