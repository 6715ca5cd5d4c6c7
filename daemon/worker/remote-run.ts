import { isVencError, VencError } from '../../src/shared/errors.js';
import { isFinal, type JobState } from '../../src/shared/states.js';
import type { Log, LogEntry } from '../../src/shared/util/log.js';
import type { Job, JobFailure } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import type { Run, RunHandler, StopReason } from '../jobs/run.js';
import type { ClaimAnswer, HeartbeatAnswer } from '../jobs/worker-protocol.js';
import { ClaimConfirmation, type Moment, readClocks } from '../queue/claim-confirmation.js';
import { describeError, failureOfRun, JobRun, nextFailure } from '../queue/job-run.js';
import { delay } from '../queue/retry-until-persisted.js';
import { PendingReport } from './pending-report.js';
import { isUnanswered, retryDelayMs, type WorkerClient, WorkerRequestError } from './worker-client.js';

/** What a run over HTTP needs. */
interface RemoteRunDeps {
  readonly client: Pick<WorkerClient, 'send'>;
  /** The id of this session of the worker. */
  readonly workerId: () => string;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Called when the daemon asks the worker to take no further jobs. */
  readonly onDrain: () => void;
  /** Called when the daemon does not accept the token of the worker any more. */
  readonly onRejected: (error: VencError) => void;
  /** Called when the daemon cannot be reached, and when it can be again (null). */
  readonly onConnection: (error: VencError | null) => void;
  readonly clocks?: () => Moment;
}

/** How a claim ended: the state of the job if this worker ended it, otherwise why the run was stopped. */
export type ClaimOutcome = JobState | StopReason;

/** What executing a claim needs. */
interface ExecuteDeps {
  readonly handler: RunHandler;
  /** The log of the job. */
  readonly log: Log;
  /** Reports to the daemon that nothing of the job is left here. */
  readonly end: () => Promise<void>;
}

/** Reasons of a daemon that is stopping: its next start continues the claim, so the work goes on meanwhile. */
const continuedReasons: readonly StopReason[] = ['daemon-stopped', 'draining'];
/** How old a confirmation of the claim may be when files are delivered, in milliseconds. */
const maxConfirmationAgeMs = 2_000;

/**
 * A run whose job is in a daemon on another machine. Its changes are numbered and repeated, in their order, until the
 * daemon has answered them; progress and log lines go with the heartbeats. It is stopped when the daemon says so, and
 * when the claim is lost.
 */
export class RemoteRun {
  readonly #deps: RemoteRunDeps;
  readonly #claim: ClaimAnswer;
  readonly #clocks: () => Moment;
  readonly #control = new JobRun();
  readonly #confirmation: ClaimConfirmation;
  readonly #report = new PendingReport();
  readonly #timer: NodeJS.Timeout;
  #heartbeat: Promise<void> | null = null;
  #changes: Promise<unknown> = Promise.resolve();
  #changeNumber = 0;
  #isFrozenByDaemon = false;
  #isOutsideHours = false;
  #job: Job;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** Starts the heartbeats. `requestedAt` is a moment before the daemon gave the claim. `close` must be called. */
  constructor(claim: ClaimAnswer, requestedAt: Moment, deps: RemoteRunDeps) {
    this.#deps = deps;
    this.#claim = claim;
    this.#job = claim.job;
    this.#clocks = deps.clocks ?? readClocks;
    this.#confirmation = new ClaimConfirmation(requestedAt, { leaseMs: deps.leaseMs, clocks: this.#clocks });
    this.#timer = setInterval(() => {
      this.#confirmation.check();
      if (this.reason !== 'worker-lost') void this.#beat().catch(() => {});
    }, deps.heartbeatMs);
  }

  /** The token of the claim. */
  get token(): string {
    return this.#claim.token;
  }

  /** The job as the daemon last sent it. */
  get job(): Job {
    return this.#job;
  }

  /** Whether a change of this run ended the job. */
  get isDone(): boolean {
    return isFinal(this.#job.state);
  }

  /** Why the run was stopped; null if it was not. */
  get reason(): StopReason | null {
    return this.#control.reason;
  }

  /** The run as the pipeline sees it. */
  get run(): Run {
    return {
      job: this.#claim.job,
      signal: this.#control.signal,
      change: (change) => this.change(change),
      progress: (fileId, progress) => {
        this.#confirmation.check();
        if (this.reason === null) this.#report.setProgress(fileId, progress);
      },
      whileWaiting: (promise) => this.#control.whileWaiting(promise),
      pause: this.#control.pause,
      confirmClaim: () => this.confirmClaim(),
      wasCutOffSince: (monotonicMs) => this.wasCutOffSince(monotonicMs),
    };
  }

  /** Adds a line to the log of the job. */
  addLog(entry: LogEntry): void {
    this.#report.addLog(entry);
  }

  /** Whether its programs are stopped. */
  get isFrozen(): boolean {
    return this.#control.freezer.isFrozen;
  }

  /** Stops its programs while this machine is outside its hours. */
  setOutsideHours(isOutsideHours: boolean): void {
    this.#isOutsideHours = isOutsideHours;
    this.#followPauses();
  }

  #followPauses(): void {
    this.#control.setPaused(this.#isFrozenByDaemon || this.#isOutsideHours);
  }

  /** Stops the run. The first reason counts. */
  stop(reason: StopReason): void {
    this.#control.stop(reason);
  }

  /** The worker ends: stops the run as soon as it does nothing but wait. */
  drain(): void {
    this.#control.drain('worker-released');
  }

  /** See `Run.confirmClaim`. */
  async confirmClaim(): Promise<AbortSignal> {
    const { stopped: signal } = this.#control;
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      if (this.#confirmation.ageMs <= maxConfirmationAgeMs) return this.#confirmation.signal;
      try {
        await this.#beat();
        signal.throwIfAborted();
        if (!this.#confirmation.isStale) return this.#confirmation.signal;
      } catch (error) {
        signal.throwIfAborted();
        await delay(retryDelayMs(error, failures), signal);
      }
    }
  }

  /** See `Run.wasCutOffSince`. */
  async wasCutOffSince(monotonicMs: number): Promise<boolean> {
    // A heartbeat that is being sent may have been answered before the cut.
    await this.#heartbeat?.catch(() => {});
    await this.#beat().catch(() => this.confirmClaim());
    return this.#failedAtMs >= monotonicMs;
  }

  /** See `Run.change`. Changes are sent one after the other. */
  change(change: Change): Promise<Job> {
    const sent = this.#changes.then(() => this.#sendChange(change));
    this.#changes = sent.catch(() => {});
    return sent;
  }

  /**
   * Runs the job to its end, and settles what the handler leaves open. A stopped run gives the job back once nothing of
   * it is left on this machine. Never rejects.
   */
  async execute({ handler, log, end }: ExecuteDeps): Promise<ClaimOutcome> {
    await this.#control.execute(handler, this.run, {
      isDone: () => this.isDone,
      fail: (error) => this.#fail(failureOfRun(error, this.#job), log),
      log,
    });
    await this.close();
    if (this.isDone) return this.#job.state;
    // A worker that has lost its claim has nothing to give back.
    if (this.reason !== 'worker-lost') await end();
    return this.reason ?? 'worker-lost';
  }

  /** Sends what is left of the log, and ends the heartbeats. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#heartbeat?.catch(() => {});
    // A job that has ended has no claim, so a daemon may reject it.
    if (this.#report.hasLog && this.reason === null) await this.#send().catch(() => {});
    this.#confirmation.close();
  }

  async #fail(failure: JobFailure, log: Log): Promise<void> {
    try {
      for (let next = nextFailure(this.#job, failure); next !== null; next = nextFailure(this.#job, failure))
        await this.change(next);
    } catch (error) {
      if (isVencError(error, 'ClaimLostError') || this.reason !== null) return;
      log('error', `Job ${this.#job.id} cannot be failed: ${describeError(error)}`);
    }
  }

  async #sendChange(change: Change): Promise<Job> {
    const { stopped: signal } = this.#control;
    signal.throwIfAborted();
    const number = this.#changeNumber + 1;
    // After a change that ends the job the daemon may accept no more lines.
    if (this.#report.hasLog) await this.#beat().catch(() => {});
    for (let failures = 1; ; failures += 1) {
      try {
        const { json } = await this.#post('changes', { number, change });
        this.#changeNumber = number;
        this.#job = (json as { readonly job: Job }).job;
        return this.#job;
      } catch (error) {
        if (!isUnanswered(error)) throw await this.#rejectedChange(error);
        this.#noteFailure(error);
        // A change that was sent may be stored, also after the run was stopped: only an answer settles that.
        if (this.reason === 'worker-lost' || (signal.aborted && this.#confirmation.isStale))
          throw new VencError('ClaimLostError', 'The daemon has not answered a change in time.');
        await delay(retryDelayMs(error, failures), signal.aborted ? new AbortController().signal : signal);
      }
    }
  }

  /**
   * The error of a change that the daemon rejected. If the claim has ended, stops the run with the reason of the
   * daemon.
   */
  async #rejectedChange(error: unknown): Promise<unknown> {
    if (!(error instanceof WorkerRequestError)) return error;
    const { reported, details } = error;
    if (details.status === 409 && !isVencError(reported, 'IllegalChangeError')) {
      await this.#beat().catch(() => {});
      if (this.reason === null) this.stop('worker-lost');
      return this.reason === 'worker-lost' ? claimLost(reported) : this.reason;
    }
    if (isVencError(reported, 'UnauthorizedError')) {
      this.#reject(reported);
      return claimLost(reported);
    }
    return reported;
  }

  /** Sends a heartbeat, or waits for the one that is being sent. Rejects if the claim is not confirmed by it. */
  #beat(): Promise<void> {
    this.#heartbeat ??= this.#send().finally(() => {
      this.#heartbeat = null;
    });
    return this.#heartbeat;
  }

  async #send(): Promise<void> {
    const sentAt = this.#clocks();
    const { progress, log, answered, failed } = this.#report.take();
    try {
      const body = { workerId: this.#deps.workerId(), progress, log };
      const { json } = await this.#post('heartbeat', body, this.#deps.leaseMs / 3);
      answered();
      const { stop, drain, frozen = false } = json as HeartbeatAnswer;
      this.#deps.onConnection(null);
      this.#isFrozenByDaemon = frozen;
      this.#followPauses();
      if (drain) this.#deps.onDrain();
      if (stop !== null && continuedReasons.includes(stop)) throw new Error('the daemon is stopping');
      // After so long, another job may have delivered to the same URLs.
      if (stop !== null) this.stop(stop === 'cancelled' && this.#confirmation.isStale ? 'worker-lost' : stop);
      this.#confirmation.confirm(sentAt);
    } catch (error) {
      // A report that the daemon rejects must not be part of every further heartbeat.
      if (isUnanswered(error)) failed();
      else answered();
      this.#noteFailure(error);
      throw error;
    }
  }

  #noteFailure(error: unknown): void {
    this.#failedAtMs = performance.now();
    if (!(error instanceof WorkerRequestError)) return;
    const { reported, details } = error;
    if (details.status === 409) this.stop('worker-lost');
    else if (isVencError(reported, 'UnauthorizedError')) this.#reject(reported);
    else this.#deps.onConnection(reported);
  }

  #reject(error: VencError): void {
    this.stop('worker-lost');
    this.#deps.onRejected(error);
  }

  #post(what: 'heartbeat' | 'changes', json: unknown, timeoutMs?: number) {
    return this.#deps.client.send({
      method: 'POST',
      path: `/claims/${this.#claim.job.id}/${what}`,
      claim: this.#claim.token,
      json,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }
}

function claimLost(cause: VencError): VencError {
  return new VencError('ClaimLostError', cause.message, { cause });
}
