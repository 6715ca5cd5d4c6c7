import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import {
  claimLostError,
  endedClaimOf,
  isCancelledClaim,
  isEndedByHolder,
  isStoredChange,
  jobForWorker,
} from '../../jobs/claims.js';
import type { Job } from '../../jobs/job.js';
import type { Change } from '../../jobs/legal-changes.js';
import type { RunHandler, WorkerStopReason } from '../../jobs/run.js';
import type {
  ClaimAnswer,
  HeartbeatAnswer,
  HeartbeatRequest,
  JoinAnswer,
  JoinRequest,
  WorkerState,
} from '../../jobs/worker-protocol.js';
import type { AccountStore } from '../../store/account-store.js';
import type { JobStore } from '../../store/job-store.js';
import type { JobQueue } from '../job-queue.js';
import { describeError } from '../job-run.js';
import { viewOfClaim } from '../parts/job-parts.js';
import { selectionFor, type WorkerAbilities } from '../parts/part-selection.js';
import { offerUntil } from '../pending-offers.js';
import { Lease, type StartTimer } from './lease.js';
import { type WorkerRun, type WorkerRuns, withRuns } from './worker-runs.js';
import type { EndedWorker, Workers } from './workers.js';

/** The dependencies of the claims of remote workers. */
interface RemoteClaimsOptions {
  readonly queue: JobQueue;
  readonly store: JobStore;
  readonly registry: Workers;
  /** What all machines that take jobs can do; the remote workers by default. */
  readonly machines?: () => Iterable<WorkerAbilities>;
  readonly leaseMs: number;
  /** Measures the leases; real timers by default. */
  readonly startTimer?: StartTimer;
  readonly log: Log;
  /** Called when a worker has lost a claim because it did not report in time. */
  readonly onExpired?: () => void;
  /** The jobs that workers run, where other daemons give them jobs as well. */
  readonly sharedRuns?: Pick<WorkerRuns, 'list'>;
  /** Wraps the handler of each run, for metrics. */
  readonly observe?: (handler: RunHandler) => RunHandler;
  /** Watches the keys of workers; without it they are never revoked. */
  readonly watchKey?: AccountStore['watchKey'];
}

/**
 * The claims of remote workers. Each is a run of the queue whose work happens in another process. A worker that does
 * not report in time loses its claim: the job waits again, which counts as a crash. If the key of the worker is
 * revoked, the job waits again at once, and that is no crash. A claim that ended is answered with `ClaimLostError`.
 */
export class RemoteClaims {
  readonly #options: RemoteClaimsOptions;
  readonly #leases = new Map<number, Lease>();
  /** The session of the worker that made the claim; absent for claims that were resumed. */
  readonly #sessions = new WeakMap<Lease, string>();
  readonly #keys: KeyWatch;

  constructor(options: RemoteClaimsOptions) {
    this.#options = options;
    const { watchKey = () => () => undefined } = options;
    this.#keys = new KeyWatch(watchKey, (keyId, workerIds) => this.#revokeKey(keyId, workerIds));
    options.registry.watchEnded((ended) => this.#loseAll(ended));
    options.registry.watchUnavailable(() => options.queue.startRuns());
  }

  /**
   * Waits for a job that the worker can run, until the signal is aborted or the time is over. Resolves to null without
   * one, also while the worker drains or is paused. Rejects with `NotFoundError` if no worker with this id has joined.
   */
  async claim(
    workerId: string,
    signal: AbortSignal,
    timeoutMs = Infinity,
    keyId: string | null = null,
  ): Promise<ClaimAnswer | null> {
    const { registry, observe = (handler: RunHandler) => handler } = this.#options;
    const worker = await registry.find(workerId);
    if (worker.isDraining || worker.isPaused) return null;
    const lease = this.#open(worker.name);
    lease.keyId = keyId;
    this.#keys.note(keyId, workerId);
    this.#sessions.set(lease, workerId);
    const { machines = () => this.availableAbilities() } = this.#options;
    const selection = selectionFor(worker.abilities, machines);
    const offer = { ...selection, worker: worker.name, handler: observe(lease.handler) };
    const ends = { signals: [signal, worker.stopped], timeoutMs };
    if (!(await offerUntil(this.#options.queue, offer, ends))) return null;
    const { job } = await lease.begun;
    if (!lease.hasEnded) this.#leases.set(job.id, lease);
    registry.seen(workerId);
    this.#options.log('info', `Job ${job.id} is given to the worker ${worker.name}.`, { jobId: job.id });
    return { token: job.claim ?? '', job: jobForWorker(job) };
  }

  /**
   * Admits a worker; see `Workers.join`. The jobs of a process that has ended are lost, and others may take them at
   * once.
   */
  async join(request: JoinRequest, keyId: string | null = null): Promise<JoinAnswer> {
    const answer = await this.#options.registry.join(request);
    this.#keys.note(keyId, answer.workerId);
    return answer;
  }

  /** The worker leaves. */
  async leave(workerId: string): Promise<void> {
    this.#keys.forget(workerId);
    await this.#options.registry.leave(workerId);
  }

  /**
   * The key of a claim's worker is not valid any more, and was when the claim was given: the job waits again. No-op if
   * this daemon does not hold the claim.
   */
  async revoke(jobId: number, token: string): Promise<void> {
    const lease = this.#leases.get(jobId);
    if (lease?.token !== token) return;
    const sentence = `Job ${jobId} is taken from the worker ${lease.worker}: its key was revoked.`;
    this.#options.log('warn', sentence, { jobId });
    if (lease.stopReason === null) await this.#requeueJob(jobId, lease, 'worker-released');
    else this.#close(jobId, lease);
  }

  #revokeKey(keyId: string, workerIds: readonly string[]): void {
    const { registry, log } = this.#options;
    for (const workerId of workerIds)
      registry.leave(workerId).catch((error: unknown) => log('warn', describeError(error)));
    for (const [jobId, lease] of [...this.#leases])
      if (lease.keyId === keyId) void this.revoke(jobId, lease.token ?? '');
  }

  #loseAll({ name, replacedBy }: EndedWorker): void {
    // The process that has replaced the worker may have claimed a job under the same name before another daemon reports
    // the end.
    const lost = [...this.#leases.values()].filter(
      (lease) => lease.worker === name && this.#sessions.get(lease) !== replacedBy,
    );
    for (const lease of lost) void this.#expire(lease, 'has ended and started again');
  }

  /** Continues the claim that a worker has held since before this start of the daemon. */
  resume(job: Job): void {
    const { queue, observe = (handler: RunHandler) => handler } = this.#options;
    const lease = this.#open(job.worker?.name ?? '');
    this.#leases.set(job.id, lease);
    queue.resume(job, observe(lease.handler));
  }

  /**
   * The worker reports that it still runs the job. Its last lines may follow after the change with which it ended the
   * job. Rejects with `ClaimLostError` if it has lost the job.
   */
  async heartbeat(
    jobId: number,
    token: string,
    { workerId, progress, log }: HeartbeatRequest,
    keyId: string | null = null,
  ): Promise<HeartbeatAnswer> {
    const { registry } = this.#options;
    this.#keys.note(keyId, workerId);
    registry.seen(workerId);
    const job = await this.reportedJob(jobId, token);
    for (const { level, message, ...fields } of log) this.#options.log(level, message, { ...fields, jobId });
    const drain = await registry.isDraining(workerId);
    const lease = this.#leases.get(jobId);
    if (lease?.token !== token) return { stop: this.#isCancelled(job, token) ? 'cancelled' : null, drain };
    lease.keyId = keyId ?? lease.keyId;
    lease.report(progress);
    return { stop: lease.stopReason, drain, ...(lease.isPaused ? { frozen: true } : {}) };
  }

  /** The job of a claim, as far as its worker may report about it: it is held, or the job ended while it was. */
  async reportedJob(jobId: number, token: string): Promise<Job> {
    const lease = await this.#held(jobId, token);
    const job = lease?.job ?? (await this.#options.store.get(jobId));
    const isReported = job !== null && (isEndedByHolder(job, token) || this.#isCancelled(job, token));
    if (job === null || (lease === null && !isReported)) throw claimLostError(jobId);
    return job;
  }

  /**
   * Whether a worker has yet to stop the job. The daemon that it reports to need not be the one that gave it the job.
   */
  #isCancelled(job: Job, token: string): boolean {
    return this.#options.queue.isShared && isCancelledClaim(job, token);
  }

  /** Stores a change of the worker. A repeated change is answered as before, also after the end of the job. */
  async change(jobId: number, token: string, changeNumber: number, change: Change): Promise<Job> {
    const lease = await this.#held(jobId, token);
    if (lease !== null) {
      const job = await lease.change(changeNumber, change);
      if (isFinal(job.state)) this.#close(jobId, lease);
      return jobForWorker(job);
    }
    const job = await this.#options.store.get(jobId);
    if (job === null || !isStoredChange(job, { token, changeNumber })) throw claimLostError(jobId);
    return jobForWorker(viewOfClaim(job, endedClaimOf(job, token)?.outputIds ?? null));
  }

  /** The worker has stopped: nothing of the job is left on its machine. A job that has not ended waits again. */
  async end(jobId: number, token: string): Promise<void> {
    const lease = await this.#held(jobId, token);
    if (lease === null) return;
    if (lease.stopReason === null) await this.#requeueJob(jobId, lease, 'worker-released');
    else this.#close(jobId, lease);
  }

  /**
   * The job of a claim that is held; for a removal, also of one that was cancelled. Rejects with `ClaimLostError`
   * otherwise.
   */
  async jobOf(jobId: number, token: string, isRemoval = false): Promise<Job> {
    const lease = await this.#held(jobId, token);
    const job = await this.#options.store.get(jobId);
    const isAllowed = lease !== null || (isRemoval && job !== null && this.#isCancelled(job, token));
    if (job === null || !isAllowed) throw claimLostError(jobId);
    return job;
  }

  /** The workers that have joined, by name, with the jobs that they run. */
  workers(): readonly WorkerState[] {
    return withRuns(this.#options.registry.list(), this.#runs());
  }

  /** What the workers can do that take jobs. */
  availableAbilities(): ReadonlySet<WorkerAbilities> {
    const holders = new Set(this.#runs().map(({ worker }) => worker));
    return this.#options.registry.availableAbilities((name) => holders.has(name));
  }

  #runs(): readonly WorkerRun[] {
    const leases = [...this.#leases].map(([jobId, { worker, speed }]) => ({ jobId, worker, speed }));
    const others = this.#options.sharedRuns?.list().filter(({ jobId }) => !this.#leases.has(jobId)) ?? [];
    return [...leases, ...others];
  }

  #open(worker: string): Lease {
    const { leaseMs, startTimer, queue } = this.#options;
    return new Lease(worker, {
      leaseMs,
      ...(startTimer !== undefined && { startTimer }),
      isShared: queue.isShared,
      // The worker may have ended the job at another daemon.
      onEnded: (lease) => this.#close(lease.job?.id ?? 0, lease, false),
      onExpired: (lease) =>
        void (queue.isShared
          ? this.#passOn(lease)
          : this.#expire(lease, `has not reported for ${leaseMs / 1000} s`)),
    });
  }

  async #expire(lease: Lease, what: string): Promise<void> {
    const jobId = lease.job?.id ?? 0;
    if (this.#leases.get(jobId) !== lease) return lease.end();
    const { log, onExpired } = this.#options;
    onExpired?.();
    log('warn', `Job ${jobId}: the worker ${lease.worker} ${what}.`, { jobId });
    if (lease.stopReason === null) await this.#requeueJob(jobId, lease, 'worker-lost');
    else this.#close(jobId, lease);
  }

  /**
   * Ends the lease of a worker that does not report here. It may report to another daemon; if not, the queue gives the
   * job to others.
   */
  async #passOn(lease: Lease): Promise<void> {
    const jobId = lease.job?.id ?? 0;
    if (this.#leases.get(jobId) !== lease) return lease.end();
    this.#close(jobId, lease, false);
    await this.#options.queue.stop(jobId, 'passed-on');
  }

  async #requeueJob(jobId: number, lease: Lease, reason: WorkerStopReason): Promise<void> {
    const { queue, store, log } = this.#options;
    this.#close(jobId, lease, false);
    try {
      await queue.stop(jobId, reason);
      const job = await store.get(jobId);
      if (job?.state === 'waiting') await queue.enqueue(job);
    } catch (error) {
      log('error', `Job ${jobId} could not be put back in the queue: ${describeError(error)}`, { jobId });
    }
  }

  #close(jobId: number, lease: Lease, endsRun = true): void {
    if (this.#leases.get(jobId) === lease) this.#leases.delete(jobId);
    if (endsRun) lease.end();
  }

  /**
   * The lease of a claim whose worker reports; null if the claim is not held. A claim that another daemon has given
   * continues here.
   */
  async #held(jobId: number, token: string): Promise<Lease | null> {
    const { queue, store } = this.#options;
    if (this.#leases.get(jobId)?.token !== token && queue.isShared) {
      const job = await store.get(jobId);
      const isHeld = job?.state === 'processing' && job.claim === token && job.worker !== undefined;
      // Another request of the worker may have continued it meanwhile.
      if (isHeld && this.#leases.get(jobId)?.token !== token) this.resume(job);
    }
    const lease = this.#leases.get(jobId);
    if (lease?.token !== token) return null;
    lease.renew();
    queue.renew(jobId);
    return lease;
  }
}

/** Remembers with which keys workers report to this daemon, and says when one is revoked. */
class KeyWatch {
  readonly #watchKey: AccountStore['watchKey'];
  readonly #onRevoked: (keyId: string, workerIds: readonly string[]) => void;
  /** The ids of the workers, by the id of their key. */
  readonly #workers = new Map<string, Set<string>>();

  /** `onRevoked` gets a revoked key, and the workers that used it. */
  constructor(
    watchKey: AccountStore['watchKey'],
    onRevoked: (keyId: string, workerIds: readonly string[]) => void,
  ) {
    this.#watchKey = watchKey;
    this.#onRevoked = onRevoked;
  }

  /** A worker has used a key; null if it needs none. */
  note(keyId: string | null, workerId: string): void {
    if (keyId === null) return;
    const known = this.#workers.get(keyId);
    known?.add(workerId);
    if (known !== undefined) return;
    this.#workers.set(keyId, new Set([workerId]));
    this.#watchKey(keyId, () => {
      const workerIds = [...(this.#workers.get(keyId) ?? [])];
      this.#workers.delete(keyId);
      this.#onRevoked(keyId, workerIds);
    });
  }

  /** A worker has left. */
  forget(workerId: string): void {
    for (const workerIds of this.#workers.values()) workerIds.delete(workerId);
  }
}
