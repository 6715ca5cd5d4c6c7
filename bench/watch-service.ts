import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service with jobs that are all processed, and never end. */
export interface BusyService {
  readonly url: string;
  /** Whether questions get no answer for now. */
  pauseEvents(isPaused: boolean): void;
  close(): Promise<void>;
}

/** The daemon tells of a job that moves about as often. */
const eventEveryMs = 500;

/** Starts one, with event streams as the daemon has them. */
export async function startBusyService(jobCount: number): Promise<BusyService> {
  let isPaused = false;
  const begin = Date.now();
  const streams = new Map<ServerResponse, NodeJS.Timeout>();
  const ids = Array.from({ length: jobCount }, (_, index) => 1000 + index * 10);
  const progressOf = (id: number) => {
    const progress = ((Date.now() - begin) / 1000 + id) % 100;
    const moving = { state: 'processing', current_event: 'transcoding', progress };
    return {
      ...{ state: 'processing', progress },
      input: { id: id + 1, state: 'finished', progress: 100 },
      outputs: [
        {
          id: id + 2,
          ...moving,
          current_event_progress: progress,
          fps: 48 + (progress % 3),
          speed: 2,
          eta_in_ms: 1e5,
        },
      ],
    };
  };
  const jobOf = (id: number) => ({
    job: {
      ...{ id, state: 'processing' },
      input_media_file: { id: id + 1, state: 'finished', url: `http://example.com/films/${id}.mp4` },
      output_media_files: [{ id: id + 2, state: 'processing', label: 'web' }],
    },
  });
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*|\.json/g, '');
    const id = Number(/\/jobs\/(\d+)/.exec(path)?.[1]);
    if (isPaused) return;
    if (path.endsWith('/events')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const tell = () => response.write(`data: ${JSON.stringify(progressOf(id))}\n\n`);
      tell();
      streams.set(response, setInterval(tell, eventEveryMs));
      response.on('close', () => clearInterval(streams.get(response)));
      return;
    }
    const answer = path.endsWith('/progress') ? progressOf(id) : id > 0 ? jobOf(id) : ids.map(jobOf);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pauseEvents: (is) => {
      isPaused = is;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
