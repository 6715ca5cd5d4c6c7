import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { StopReason } from '../../daemon/jobs/run.js';
import { type Moment, readClocks } from '../../daemon/queue/claim-confirmation.js';
import { RemoteRun } from '../../daemon/worker/remote-run.js';
import { createWorkerClient, type WorkerClient } from '../../daemon/worker/worker-client.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { type FakeDaemon, fakeTokens, startFakeDaemon } from './fake-daemon.js';

/** A run over HTTP against a fake daemon. */
export interface RemoteRunHarness {
  readonly daemon: FakeDaemon;
  readonly client: WorkerClient;
  readonly remote: RemoteRun;
  readonly job: Job;
  /** What the daemon asked for, and what was reported about it. */
  readonly events: string[];
  /** Moves the clocks of the worker forward, as if it had been frozen. */
  freeze(ms: number): void;
  close(): Promise<void>;
}

/** A job that a worker has claimed, with the token of the fake daemon. */
export function claimedJob(outputCount = 1): Job {
  const change = { type: 'claimed', token: fakeTokens.claim, worker: 'w1' } as const;
  return apply(sampleDraft(outputCount).number(1), change, new Date(0));
}

/** Starts a run whose lease is 30 s; its heartbeats are 20 ms apart. */
export async function startRemoteRun(job = claimedJob()): Promise<RemoteRunHarness> {
  const daemon = await startFakeDaemon(job);
  const client = createWorkerClient({ url: daemon.url, token: fakeTokens.worker });
  const events: string[] = [];
  let frozenMs = 0;
  const clocks = (): Moment => {
    const { monotonicMs, wallMs } = readClocks();
    return { monotonicMs: monotonicMs + frozenMs, wallMs };
  };
  const remote = new RemoteRun({ token: fakeTokens.claim, job }, clocks(), {
    client,
    workerId: () => 'id',
    leaseMs: 30_000,
    heartbeatMs: 20,
    onDrain: () => events.push('drain'),
    onRejected: ({ errorClass }) => events.push(`rejected ${errorClass}`),
    onConnection: (error) => {
      const event = error === null ? 'connected' : 'disconnected';
      if (events.at(-1) !== event) events.push(event);
    },
    clocks,
  });
  return {
    ...{ daemon, client, remote, job, events },
    freeze: (ms) => {
      frozenMs += ms;
    },
    async close() {
      await remote.close();
      client.close();
      await daemon.stop();
    },
  };
}

/** Resolves to the reason of a run when it is stopped. */
export function stopped({ run }: RemoteRun): Promise<StopReason> {
  const { signal } = run;
  if (signal.aborted) return Promise.resolve(signal.reason);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
