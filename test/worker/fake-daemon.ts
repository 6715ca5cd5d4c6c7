import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { ChangeRequest, HeartbeatAnswer, HeartbeatRequest } from '../../daemon/jobs/worker-protocol.js';

/** How a request is disturbed: its connection is cut before or after it was carried out, it gets a status, or not at all. */
export type Disturbance = 'cut' | 'cut-after' | 'none' | number;

/** A daemon with one claimed job, which fails as a test says. */
export interface FakeDaemon {
  readonly url: URL;
  /** The changes that it has stored, by number. */
  readonly changes: Map<number, ChangeRequest['change']>;
  readonly heartbeats: HeartbeatRequest[];
  /** The paths of all requests, with their methods. */
  readonly requests: string[];
  /** The bytes of its files by URL. */
  readonly files: Map<string, Buffer>;
  /** The answer to the next heartbeats. */
  answer: HeartbeatAnswer;
  /** Whether the claim is held. */
  isHeld: boolean;
  /** Whether every connection is cut. */
  isDown: boolean;
  /** Disturbs the next requests whose path contains a text, in this order. */
  disturb(path: string, ...disturbances: readonly Disturbance[]): void;
  /** The number of bytes after which the next transfer of a file is cut. */
  cutFileAfter: number | null;
  stop(): Promise<void>;
}

/** The token of the worker, and that of its claim. */
export const fakeTokens = { worker: 'worker-token', claim: 'claim-token' } as const;

/** Starts a fake daemon that holds a job. */
export async function startFakeDaemon(claimed: Job): Promise<FakeDaemon> {
  let job = claimed;
  const disturbances = new Map<string, Disturbance[]>();
  const partial = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const takeDisturbance = (path: string): Disturbance | undefined =>
    [...disturbances].find(([part, left]) => path.includes(part) && left.length > 0)?.[1].shift();

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    daemon.requests.push(`${request.method} ${path}`);
    if (daemon.isDown) return void request.socket.destroy();
    const disturbance = takeDisturbance(path);
    if (disturbance === 'cut') return void request.socket.destroy();
    if (typeof disturbance === 'number') {
      request.resume();
      return void response.writeHead(disturbance).end('<html>a proxy</html>');
    }
    const answer = (status: number, json?: unknown) => {
      if (disturbance === 'cut-after') return void request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(json === undefined ? '' : JSON.stringify(json));
    };
    if (request.headers.authorization !== `Bearer ${fakeTokens.worker}`)
      return answer(401, { errors: ['The key is unknown.'] });
    if (!daemon.isHeld || request.headers['venc-claim'] !== fakeTokens.claim)
      return answer(409, { errors: ['The claim is no longer held.'], errorClass: 'ClaimLostError' });
    if (path.includes('/file?') || path.includes('/received?')) return handleFile(request, response, answer);
    const body: unknown = JSON.parse((await buffer(request)).toString() || 'null');
    if (path.endsWith('/heartbeat')) {
      daemon.heartbeats.push(body as HeartbeatRequest);
      return answer(200, daemon.answer);
    }
    if (path.endsWith('/changes')) {
      const { number, change } = body as ChangeRequest;
      if (!daemon.changes.has(number)) job = apply(job, change, new Date(0));
      daemon.changes.set(number, change);
      return answer(200, { job });
    }
    if (path.endsWith('/credentials')) return answer(200, { user: 'user', secret: 'secret' });
    return answer(204);
  };

  const handleFile = async (
    request: IncomingMessage,
    response: ServerResponse,
    answer: (status: number, json?: unknown) => void,
  ): Promise<void> => {
    const { searchParams, pathname } = new URL(request.url ?? '', 'http://daemon');
    const url = searchParams.get('url') ?? '';
    if (pathname.endsWith('/received')) return answer(200, { receivedBytes: partial.get(url)?.length ?? 0 });
    if (request.method === 'PUT') {
      const offset = Number(searchParams.get('offset'));
      let bytes = (partial.get(url) ?? Buffer.alloc(0)).subarray(0, offset);
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes = Buffer.concat([bytes, chunk]);
        partial.set(url, bytes);
        if (daemon.cutFileAfter !== null && bytes.length >= daemon.cutFileAfter) {
          daemon.cutFileAfter = null;
          request.socket.destroy();
          return;
        }
      }
      partial.delete(url);
      daemon.files.set(url, bytes);
      return answer(200, { sizeBytes: bytes.length, md5: createHash('md5').update(bytes).digest('hex') });
    }
    const file = daemon.files.get(url);
    if (file === undefined) return answer(404, { errors: ['There is no such file.'] });
    if (request.method === 'DELETE') {
      daemon.files.delete(url);
      return answer(204);
    }
    const [, start = '0'] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
    const rest = file.subarray(Number(start));
    const isPart = request.headers.range !== undefined;
    response.writeHead(isPart ? 206 : 200, {
      'content-length': rest.length,
      etag: '"file"',
      ...(isPart ? { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` } : {}),
    });
    if (request.method === 'HEAD') return void response.end();
    if (daemon.cutFileAfter === null) return void response.end(rest);
    response.write(rest.subarray(0, daemon.cutFileAfter), () => response.destroy());
    daemon.cutFileAfter = null;
  };

  const daemon: FakeDaemon = {
    url: new URL('http://127.0.0.1'),
    changes: new Map(),
    heartbeats: [],
    requests: [],
    files: new Map(),
    answer: { stop: null, drain: false },
    isHeld: true,
    isDown: false,
    cutFileAfter: null,
    disturb: (path, ...added) => disturbances.set(path, [...(disturbances.get(path) ?? []), ...added]),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  daemon.url.port = String((server.address() as AddressInfo).port);
  return daemon;
}
