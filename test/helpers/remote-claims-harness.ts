import { randomBytes } from 'node:crypto';
import type { JobDraft } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { ClaimAnswer } from '../../daemon/jobs/worker-protocol.js';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { createLocalQueue, recover, resumeClaims } from '../../daemon/queue/local/local-queue.js';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';
import { RemoteClaims } from '../../daemon/queue/remote/remote-claims.js';
import { Workers } from '../../daemon/queue/remote/workers.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { sampleDraft, sampleFile, sampleMedia } from './sample-job.js';
import { tempFolder } from './temp.js';
import { sampleJoin } from './test-worker.js';

/** The remote claims of one start of a daemon. */
export interface RemoteClaimsDaemon {
  readonly queue: JobQueue;
  readonly workers: Workers;
  readonly claims: RemoteClaims;
  readonly progressTracker: ProgressTracker;
  /** Joins a worker and returns its id. */
  join(name?: string): Promise<string>;
  /** Creates a job that waits, and returns its id. */
  create(): Promise<number>;
}

/** A store, and the daemons that were started on it one after the other. */
export interface RemoteClaimsHarness {
  readonly store: JobStore;
  readonly logLines: readonly string[];
  /** Starts a daemon: the jobs of an earlier one are recovered. */
  start(): Promise<RemoteClaimsDaemon>;
  /** All workers that hold claims have not reported for too long. */
  expireLeases(): void;
  close(): Promise<void>;
}

/** The draft of a job whose output needs nothing of an ffmpeg. */
export function simpleDraft(): JobDraft {
  const draft = sampleDraft();
  const simplify = (job: Job): Job => ({
    ...job,
    outputs: job.outputs.map((output) => ({ ...output, settings: { type: 'transfer-only' } })),
  });
  return { ...draft, number: (firstId) => simplify(draft.number(firstId)) };
}

/** Creates the store and the log of a test. Needs no HTTP. */
export async function createRemoteClaimsHarness(): Promise<RemoteClaimsHarness> {
  const logLines: string[] = [];
  const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
  const now = () => new Date();
  const randomToken = () => randomBytes(16).toString('hex');
  const store = await openJobStore(tempFolder(), { log });
  const queues: JobQueue[] = [];
  const leases = new Set<() => void>();
  const startTimer = (expire: () => void) => {
    leases.add(expire);
    return () => leases.delete(expire);
  };
  const leaseMs = 30_000;
  // Offers do not keep a process running, and a test may wait for nothing else.
  const keepAlive = setInterval(() => {}, 60_000);
  return {
    store,
    logLines,
    async start() {
      const progressTracker = new ProgressTracker();
      const queue = createLocalQueue({ store, progressTracker, now, randomToken, log });
      queues.push(queue);
      const workers = new Workers({ now, randomToken, leaseMs });
      const claims = new RemoteClaims({ queue, store, registry: workers, leaseMs, startTimer, log });
      await resumeClaims(store, (job) => claims.resume(job));
      await recover(store, queue, { now, log });
      return {
        queue,
        workers,
        claims,
        progressTracker,
        join: async (name = 'box') => (await workers.join({ ...sampleJoin, name })).workerId,
        async create() {
          const job = await store.create(simpleDraft());
          await queue.enqueue(job);
          return job.id;
        },
      };
    },
    expireLeases() {
      const expiring = [...leases];
      leases.clear();
      for (const expire of expiring) expire();
    },
    async close() {
      clearInterval(keepAlive);
      for (const queue of queues) await queue.close(0);
      await store.close();
    },
  };
}

/** Takes the next job for a worker. */
export async function claimNext({ claims }: RemoteClaimsDaemon, workerId: string): Promise<ClaimAnswer> {
  const claim = await claims.claim(workerId, new AbortController().signal);
  if (claim === null) throw new Error('there is no job');
  return claim;
}

/** Makes the changes with which a worker begins to encode a job. Returns the id of the output. */
export async function beginEncode(
  { claims }: RemoteClaimsDaemon,
  { job, token }: ClaimAnswer,
): Promise<number> {
  const id = job.outputs[0]?.id ?? 0;
  await claims.change(job.id, token, 1, {
    type: 'inspected',
    media: sampleMedia,
    file: sampleFile,
  });
  await claims.change(job.id, token, 2, { type: 'output-started', id });
  return id;
}
