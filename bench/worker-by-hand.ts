import { type AddressInfo, createServer, connect as openSocket } from 'node:net';
import type { ClaimAnswer, JoinAnswer } from '../daemon/jobs/worker-protocol.js';
import { createWorkerClient, type WorkerClient } from '../daemon/worker/worker-client.js';
import { workerProtocol } from '../src/shared/version.js';
import { filmFile, filmMedia } from '../test/helpers/make-jobs.js';

/** A worker that makes the requests of `venc worker`, with its client, and encodes nothing. */
export interface WorkerByHand {
  readonly client: WorkerClient;
  /** Waits for a job as long as the daemon does; null without one. */
  poll(): Promise<ClaimAnswer | null>;
  /** Sends a heartbeat with the progress of one file. */
  heartbeat(claim: ClaimAnswer): Promise<void>;
  /** Makes the changes of a job that is delivered as it is. */
  finish(claim: ClaimAnswer): Promise<void>;
}

/** Joins a daemon as a worker whose ffmpeg supports what ffmpeg usually does. */
export async function joinByHand(url: string, token: string, name: string): Promise<WorkerByHand> {
  const client = createWorkerClient({ url: new URL(url), token, timeoutMs: 60_000 });
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  // As many as the ffmpeg of a distribution has.
  const capabilities = {
    ...{ version: 7, hasFpsMode: true },
    ...{ encoders: names('encoder_', 200), filters: names('filter_', 400), muxers: names('muxer_', 180) },
  };
  const json = {
    ...{ protocol: workerProtocol.current, name, version: '0.1.0', ffmpeg: '7.0', jobs: 1 },
    ...{ labels: [], services: [], capabilities },
  };
  const { workerId } = (await client.send({ method: 'POST', path: '/workers', json })).json as JoinAnswer;
  const post = (path: string, body: object, claim?: ClaimAnswer) =>
    client.send({
      method: 'POST',
      path,
      json: body,
      ...(claim === undefined ? {} : { claim: claim.token }),
    });
  return {
    client,
    async poll() {
      const { status, json: answer } = await post('/claims', { workerId });
      return status === 204 ? null : (answer as ClaimAnswer);
    },
    async heartbeat(claim) {
      const id = claim.job.outputs[0]?.id ?? 0;
      const progress = [{ id, event: 'transcoding', percent: 41.5, overallPercent: 33.2, speed: 2.25 }];
      await post(`/claims/${claim.job.id}/heartbeat`, { workerId, progress, log: [] }, claim);
    },
    async finish(claim) {
      const path = `/claims/${claim.job.id}/changes`;
      const id = claim.job.outputs[0]?.id;
      const facts = { media: filmMedia, file: filmFile };
      const changes = [
        { type: 'inspected', ...facts },
        { type: 'output-started', id },
        { type: 'output-finished', id, ...facts },
      ];
      for (const [index, change] of changes.entries()) await post(path, { number: index + 1, change }, claim);
    },
  };
}

/** A relay on a port of its own that counts the bytes between a worker and a daemon. */
export interface CountingRelay {
  readonly url: string;
  /** Bytes in both directions, without those of TCP and TLS. */
  bytes(): number;
  close(): void;
}

/** Starts a relay to the address of a daemon. */
export async function startCountingRelay(daemonUrl: string): Promise<CountingRelay> {
  let count = 0;
  const port = Number(new URL(daemonUrl).port);
  const server = createServer((client) => {
    const upstream = openSocket(port, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk) => {
        count += chunk.length;
      });
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => count,
    close: () => server.close(),
  };
}
