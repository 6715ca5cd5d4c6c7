import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobRecord } from '../../tui/records.js';

/** A service with one job, which gets on as the test says. */
export interface ControllableService {
  readonly url: string;
  /** Every request that was no reading, e.g. `PUT /v2/jobs/7/cancel`. */
  readonly commands: readonly string[];
  /** How many requests have come. */
  readonly asked: () => number;
  /** Lets the answers go out that are held back from the start. */
  open(): void;
  /** Whether questions get no answer but a broken connection from now on. */
  fail(isFailing: boolean): void;
  /** How far the job is from now on; it is finished at 100. */
  move(percent: number): void;
  /** The outputs' progress records from now on, in place of the one output that goes with `move`. */
  outputs(records: readonly object[]): void;
  close(): Promise<void>;
}

/**
 * Starts a service whose job `id` is processed; it is cancelled and resubmitted when that is asked. It does not answer before
 * `open`. `atPort` is for one that is started again.
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
    const body = JSON.stringify(
      answer === undefined ? { errors: ['There is no such thing here.'] } : answer(),
    );
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
