import { isVencError } from '../../src/shared/errors.js';
import { isFinal } from '../../src/shared/states.js';
import { type Log, withFields } from '../../src/shared/util/log.js';
import { apply } from '../jobs/changes.js';
import { applyByHolder, endedClaimOf } from '../jobs/claims.js';
import type { Job } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import { withLastProgress } from '../jobs/progress.js';
import type { Run, RunHandler, StopReason } from '../jobs/run.js';
import type { JobStore } from '../store/job-store.js';
import { describeError, endOfLostRun, failUnfinished, failureOfRun, JobRun, requeue } from './job-run.js';
import type { JobClaims, RunEnd } from './job-source.js';
import { viewOfClaim } from './parts/job-parts.js';
import type { ProgressTracker } from './progress-tracker.js';
import { type Delay, isUnavailable, repeatableUpdate, retryUntilPersisted } from './retry-until-persisted.js';
import type { SlotSchedule } from './slot-schedule.js';

/** The dependencies of a run. */
export interface QueueRunDeps {
  readonly store: JobStore;
  readonly progressTracker: ProgressTracker;
  readonly now: () => Date;
  readonly log: Log;
  readonly delay: Delay;
  /** Called when the outputs of a run have ended, and the job waits for a machine that makes the others. */
  readonly onPartWaiting?: (job: Job) => void;
  readonly claims?: JobClaims;
  /** None if absent. */
  readonly pauses?: RunPauses;
  /** When the slots of this process are open; always if absent. */
  readonly schedule?: Pick<SlotSchedule, 'state' | 'onChange'>;
}

/** Pauses of accounts, of which some stop the programs of running jobs. */
export interface RunPauses {
  /** Whether no job of an account may start. */
  holds(accountId: string): boolean;
  /** Whether the programs of the jobs of an account are stopped. */
  freezes(accountId: string): boolean;
  /** Calls a listener after each change, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/**
 * One run of a job, from before its claim, when it already occupies a slot, until everything is cleaned up.
 * It can be stopped at any time.
 */
export class QueueRun {
  readonly #deps: QueueRunDeps;
  readonly #run = new JobRun();
  #hasBegun = false;
  #isExclusive = false;
  /** Whether a change of this run made the job final, so that nothing is left to do. */
  #isDone = false;
  #isEnded = false;
  /** The outputs that this run makes; null for all. */
  #outputIds: readonly number[] | null = null;
  #hasLeftOthers = false;
  /** The account of the job, once it is claimed. */
  #accountId: string | null = null;
  /** Whether the job itself is paused. */
  #isJobPaused = false;
  #outcome: RunEnd = 'unsettled';
  #markEnded: () => void = () => {};

  /** Resolves when the run has ended and released its job. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#markEnded = resolve;
  });

  constructor(
    readonly id: number,
    readonly holder: ClaimHolder,
    deps: QueueRunDeps,
  ) {
    this.#deps = { ...deps, log: withFields(deps.log, { jobId: id }) };
  }

  /** Whether the handler was called. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether a remote worker processes the job. */
  get isRemote(): boolean {
    return this.holder.worker !== null;
  }

  /** Whether no other run of the daemon may be concurrent with this one. */
  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /** Whether the run was stopped. */
  get isStopped(): boolean {
    return this.#run.reason !== null;
  }

  /** Whether the job itself is paused. */
  get isJobPaused(): boolean {
    return this.#isJobPaused;
  }

  /** Whether its programs are stopped, so that others may have its slot. */
  get isPaused(): boolean {
    return this.#run.pause.isOn;
  }

  /** Whether this run has made its outputs, and the job waits for a machine that makes the others. */
  get hasLeftOthers(): boolean {
    return this.#hasLeftOthers;
  }

  /** How the run ended. */
  get outcome(): RunEnd {
    return this.#isDone ? 'settled' : this.#outcome;
  }

  /** Stops the run. The first reason counts; a run that has ended is not stopped any more. */
  stop(reason: StopReason): void {
    if (!this.#isEnded) this.#run.stop(reason);
  }

  /**
   * Stops the run unless it is working: a closing queue gives no grace period to runs that wait, now or
   * later. A remote worker keeps its claim, which the next start of the daemon resumes.
   */
  drain(): void {
    if (this.isRemote) this.stop('daemon-stopped');
    else if (!this.#hasBegun) this.stop('draining');
    else this.#run.drain('draining');
  }

  /**
   * Claims the job, and retries while the store has no space. If the run is stopped meanwhile, it releases
   * the job and resolves to `passed-over`, also if the job cannot be read, which is logged. Never rejects.
   */
  async claim(hasOtherRuns: () => boolean): Promise<ClaimOutcome> {
    const { store, now, log } = this.#deps;
    const options = { holder: this.holder, now, hasOtherRuns: () => !this.isRemote && hasOtherRuns() };
    let outcome: ClaimOutcome = 'passed-over';
    try {
      outcome =
        (await this.#retryUntilPersisted('claimed', () => claimJob(store, this.id, options))) ??
        'passed-over';
    } catch (error) {
      log('error', `Job ${this.id} cannot be run: ${describeError(error)}`);
    }
    if (this.#run.reason === null) return outcome;
    await this.releaseClaim();
    return 'passed-over';
  }

  /** Runs the handler on the claimed job, and settles what the handler leaves open. Never rejects. */
  async execute(job: Job, handler: RunHandler): Promise<void> {
    if (this.#run.reason !== null) return this.releaseClaim();
    const { progressTracker, log } = this.#deps;
    this.#hasBegun = true;
    this.#outputIds = job.claimedOutputs ?? null;
    this.#isExclusive = !this.isRemote && job.crashes >= exclusiveAfterCrashes;
    progressTracker.start(this.id);
    this.#accountId = job.accountId;
    this.setJobPaused(this.#isJobPaused || job.isPaused === true);
    await this.#run.execute(handler, this.#publicRun(job), {
      isDone: () => this.#isDone,
      fail: (error) => this.#fail(error),
      log,
    });
    if (!this.#isDone && this.#run.reason !== null) await this.releaseClaim();
    progressTracker.clear(this.id);
  }

  /** The job itself was paused, or is not paused any more. */
  setJobPaused(isPaused: boolean): void {
    this.#isJobPaused = isPaused;
    this.followPauses();
  }

  /** Stops the programs of the run while a pause of its job or account, or the hours of this machine, say so. */
  followPauses(): void {
    const { pauses, schedule } = this.#deps;
    if (this.#accountId === null) return;
    const isOutside = !this.isRemote && schedule?.state.isFrozen === true;
    this.#run.setPaused(this.#isJobPaused || isOutside || pauses?.freezes(this.#accountId) === true);
  }

  /** Marks the run as ended. */
  end(): void {
    this.#isEnded = true;
    this.#markEnded();
  }

  /** The view of this run that the handler gets. */
  #publicRun(job: Job): Run {
    const { signal } = this.#run;
    return {
      job: viewOfClaim(job, this.#outputIds),
      signal,
      ...this.#confirmations(),
      change: (change, changeNumber) => this.#change(change, changeNumber),
      whileWaiting: (promise) => this.#run.whileWaiting(promise),
      pause: this.#run.pause,
      progress: (fileId, progress) => {
        // Late progress of this run must not appear in the run that follows.
        if (!this.#isEnded && !signal.aborted) this.#deps.progressTracker.update(this.id, fileId, progress);
      },
    };
  }

  #confirmations(): Pick<Run, 'confirmClaim' | 'wasCutOffSince'> {
    const { claims } = this.#deps;
    if (this.isRemote || claims === undefined) return {};
    const retry = <T>(ask: () => Promise<T>) => this.#retryWhileUnavailable('confirmed', ask);
    return {
      confirmClaim: () => retry(() => claims.confirm(this.id)),
      wasCutOffSince: (since) => retry(() => claims.wasCutOffSince(this.id, since)),
    };
  }

  async #change(change: Change, changeNumber: number | undefined): Promise<Job> {
    const { store, progressTracker, now } = this.#deps;
    const { token } = this.holder;
    const numbered = { token, change, ...(changeNumber === undefined ? {} : { changeNumber }) };
    const withProgress = (stored: Job) =>
      withLastProgress(applyByHolder(stored, numbered, now()), progressTracker.read(this.id));
    try {
      // A remote worker repeats its changes itself.
      const job =
        this.isRemote || this.#deps.claims === undefined
          ? await store.update(this.id, withProgress)
          : await this.#retryWhileUnavailable('changed', repeatableUpdate(store, this.id, withProgress));
      this.#isDone ||= isFinal(job.state) || this.#leavesOthers(job);
      return viewOfClaim(job, this.#outputIds);
    } catch (error) {
      if (isVencError(error, 'ClaimLostError')) this.stop('claim-lost');
      throw error;
    }
  }

  /** Whether the outputs of this run have ended and others have not: then the job waits for a machine that makes those. */
  #leavesOthers(job: Job): boolean {
    if (endedClaimOf(job, this.holder.token) === undefined) return false;
    if (!this.#hasLeftOthers && job.state === 'waiting') {
      this.#hasLeftOthers = true;
      this.#deps.log('info', `Job ${this.id} waits for a machine that makes its other outputs.`);
      this.#deps.onPartWaiting?.(job);
    }
    return true;
  }

  async #fail(error: unknown): Promise<void> {
    const { store, progressTracker, now, log } = this.#deps;
    const { token } = this.holder;
    const failed = (job: Job) => failUnfinished(job, token, failureOfRun(error, job), now());
    const fail = (job: Job) => withLastProgress(failed(job), progressTracker.read(this.id));
    try {
      const job = await this.#retryUntilPersisted('failed', () => store.update(this.id, fail));
      this.#outcome = 'settled';
      if (job !== null) this.#leavesOthers(job);
    } catch (unstored) {
      log('error', `Job ${this.id} cannot be failed: ${describeError(unstored)}`);
    }
  }

  /**
   * Ensures that no job stays `processing` without a run. Writes nothing if the run has lost the job, as after a cancel. Tried once, because
   * the caller that stops a run waits for it. Never rejects.
   */
  async releaseClaim(): Promise<void> {
    const { store, progressTracker, now, log } = this.#deps;
    const { reason } = this.#run;
    if (reason === 'passed-on' || (reason === 'daemon-stopped' && this.#hasBegun)) {
      this.#outcome = 'passed-on';
      return;
    }
    const ended = (job: Job) =>
      reason === 'worker-lost' && endOfLostRun(this.#deps.pauses, job) === 'lost'
        ? progressTracker.read(this.id)
        : 'released';
    try {
      const job = await store.update(this.id, (stored) =>
        requeue(stored, this.holder.token, ended(stored), now()),
      );
      this.#outcome = 'settled';
      if (this.#hasBegun && job.state === 'waiting' && reason === 'draining')
        log('info', `Job ${this.id} is put back in the queue, because the daemon stops.`);
    } catch (error) {
      log('error', `Job ${this.id} cannot be put back to waiting: ${describeError(error)}`);
    }
  }

  /** Repeats what needs a database that others share, until it is available or the run is stopped: an encode must not fail for that. */
  async #retryWhileUnavailable<T>(what: string, task: () => Promise<T>): Promise<T> {
    const { stopped: signal } = this.#run;
    const done = await this.#retryUntilPersisted(what, task, isUnavailable).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    if (done === null) throw signal.reason;
    return done;
  }

  #retryUntilPersisted<T>(
    what: string,
    write: () => Promise<T>,
    isTemporary?: (error: unknown) => boolean,
  ): Promise<T | null> {
    const { delay, log } = this.#deps;
    return retryUntilPersisted(write, {
      signal: this.#run.stopped,
      delay,
      ...(isTemporary && { isTemporary }),
      onFailure: (error, delayMs) =>
        log(
          'warn',
          `Job ${this.id} cannot be ${what} yet, next attempt in ${delayMs} ms: ${describeError(error)}`,
        ),
    });
  }
}

/** The holder of a claim. */
export interface ClaimHolder {
  readonly token: string;
  /** Name of a remote worker; null for the daemon itself. */
  readonly worker: string | null;
  /** The outputs that it makes of a job; null for all. It makes all by default. */
  readonly outputsOf?: (job: Job) => readonly number[] | null;
}

/** Number of crashes after which a job runs alone (contract, section 5). */
const exclusiveAfterCrashes = 2;

/** The options of `claimJob`. */
interface ClaimOptions {
  readonly holder: ClaimHolder;
  readonly now: () => Date;
  /** Whether there are other runs now. */
  readonly hasOtherRuns: () => boolean;
}

/**
 * The claimed job; `passed-over` if it is no longer `waiting`; `needs-exclusive-run` if all other runs must
 * end first; `not-accepted` if the holder makes none of its outputs.
 */
type ClaimOutcome = Job | 'passed-over' | 'needs-exclusive-run' | 'not-accepted';

/**
 * Claims a job in one write. Checks the crashes before the claim and not after it: if the daemon were killed
 * while a claimed job waited for other runs to end, the job would be blamed for a crash of one of them.
 */
async function claimJob(store: JobStore, id: number, options: ClaimOptions): Promise<ClaimOutcome> {
  const { token, worker, outputsOf = () => null } = options.holder;
  let isAccepted = true;
  const job = await store.update(id, (stored) => {
    const mustWait = stored.crashes >= exclusiveAfterCrashes && options.hasOtherRuns();
    if (stored.state !== 'waiting' || stored.isPaused === true || mustWait) return stored;
    const outputIds = outputsOf(stored);
    isAccepted = outputIds?.length !== 0;
    if (!isAccepted) return stored;
    const claimed = {
      ...({ type: 'claimed', token } as const),
      ...(worker === null ? {} : { worker }),
      ...(outputIds === null ? {} : { outputIds }),
    };
    return apply(stored, claimed, options.now());
  });
  // Also true if an earlier attempt to claim failed only after it was stored.
  if (job.claim === token) return job;
  if (job.isPaused === true) return 'passed-over';
  if (job.state === 'waiting' && !isAccepted) return 'not-accepted';
  return job.state === 'waiting' ? 'needs-exclusive-run' : 'passed-over';
}
