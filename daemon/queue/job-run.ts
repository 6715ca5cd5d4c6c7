import { isVencError } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { redact } from '../../src/shared/redact.js';
import { isFinal } from '../../src/shared/states.js';
import { runInErrorScope } from '../../src/shared/util/error-scope.js';
import { processFreezer, setFreezer } from '../../src/shared/util/freezer.js';
import type { Log } from '../../src/shared/util/log.js';
import { applyAsHolder } from '../jobs/changes.js';
import { type Job, type JobFailure, toJobFailure } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import type { JobProgress } from '../jobs/progress.js';
import type { Run, RunHandler, StopReason } from '../jobs/run.js';
import { RunPause } from './run-pause.js';

/** What `JobRun.execute` needs of the side that holds the job. */
interface RunEnds {
  /** Whether a change of this run ended the job, so that nothing is left to do. */
  readonly isDone: () => boolean;
  /** Fails what the run has left open. Never rejects. */
  readonly fail: (error: unknown) => Promise<void>;
  readonly log: Log;
}

/** One run of a job on this machine: its stop, its waits, and the end of its handler. */
export class JobRun {
  readonly #stopping = new AbortController();
  /** Aborted with an uncaught error, which ends the handler and fails the job. */
  readonly #uncaught = new AbortController();
  /** Number of pending waits of the handler, during which it does nothing else. */
  #waitCount = 0;
  #drainReason: StopReason | null = null;

  /** Stops the programs of the run, and lets them continue. */
  readonly freezer = processFreezer.child();
  /** Pauses the run. */
  readonly pause = new RunPause(this.freezer);
  /** Aborted once the run is stopped, with the reason. */
  readonly stopped = this.#stopping.signal;
  /** Aborted when the handler must end: the run is stopped, or an error that nobody caught belongs to it. */
  readonly signal = AbortSignal.any([this.#stopping.signal, this.#uncaught.signal]);

  /** Why the run was stopped; null if it was not. */
  get reason(): StopReason | null {
    return this.stopped.aborted ? this.stopped.reason : null;
  }

  /** Stops the run. The first reason counts. */
  stop(reason: StopReason): void {
    this.#stopping.abort(reason);
  }

  /** Stops the run as soon as it does nothing but wait, and at once if its programs are frozen. */
  drain(reason: StopReason): void {
    this.#drainReason = reason;
    if (this.#waitCount > 0 || this.freezer.isFrozen) this.stop(reason);
  }

  /** Pauses the run, or lets it continue. One that is drained is stopped. */
  setPaused(isPaused: boolean): void {
    this.pause.set(isPaused);
    if (isPaused && this.#drainReason !== null) this.stop(this.#drainReason);
  }

  /** See `Run.whileWaiting`. */
  async whileWaiting<T>(promise: Promise<T>): Promise<T> {
    this.#waitCount += 1;
    if (this.#drainReason !== null) this.stop(this.#drainReason);
    try {
      return await promise;
    } finally {
      this.#waitCount -= 1;
    }
  }

  /** Runs the handler to its end, and fails what it leaves open unless the run was stopped. Never rejects. */
  async execute(handler: RunHandler, run: Run, { isDone, fail, log }: RunEnds): Promise<void> {
    const { signal: broken } = this.#uncaught;
    try {
      const scope = { job: run.job, fail: (error: unknown) => this.#uncaught.abort(error) };
      setFreezer(scope, this.freezer);
      this.freezer.begin();
      await runInErrorScope(scope, () => handler(run));
      if (!isDone() && !this.stopped.aborted) throw new Error('The run ended before the job did.');
    } catch (thrown) {
      const error: unknown = broken.aborted ? broken.reason : thrown;
      // An uncaught error is in the log already.
      if (!broken.aborted && !isStopError(error, this.stopped))
        log('error', `The run of job ${run.job.id} ended with an error: ${describeError(error)}`);
      if (!isDone() && !this.stopped.aborted) await fail(error);
    } finally {
      this.freezer.end();
    }
  }
}

/**
 * Whether the run with this token still holds the job: the job is not final and was not claimed by another
 * run.
 */
function holdsClaim(job: Job, token: string): boolean {
  return job.claim === token && !isFinal(job.state);
}

/**
 * The next change that fails what a run has left of a job; null if nothing is left. If the input is not ready, it
 * fails. Started outputs come first: a failed source ends the outputs that wait for it, and those that still wait then
 * wait for a source that is made again. Pure.
 */
export function nextFailure(job: Job, failure: JobFailure): Change | null {
  if (isFinal(job.state)) return null;
  if (!isFinal(job.input.state)) return { type: 'input-failed', failure };
  const open = job.outputs.filter(
    ({ id, state }) => !isFinal(state) && (job.claimedOutputs?.includes(id) ?? true),
  );
  const next = open.find(({ state }) => state !== 'waiting') ?? open[0];
  if (next === undefined) return null;
  return { type: next.state === 'waiting' ? 'source-failed' : 'output-failed', id: next.id, failure };
}

/**
 * The job after its run ended without finishing it. Returns the same object if the run no longer holds the job. Pure.
 */
export function failUnfinished(job: Job, token: string, failure: JobFailure, now: Date): Job {
  const change = holdsClaim(job, token) ? nextFailure(job, failure) : null;
  return change === null ? job : failUnfinished(applyAsHolder(job, token, change, now), token, failure, now);
}

/**
 * The job after its run ended early: released to the queue, or lost, which counts as a crash. Of a lost remote worker,
 * its last progress is given: that counts only if it inspected or encoded the job, because it transfers other jobs
 * meanwhile. Returns the same object if the run no longer holds the job. Pure.
 */
export function requeue(job: Job, token: string, how: 'released' | 'lost' | JobProgress, now: Date): Job {
  if (!holdsClaim(job, token)) return job;
  const type = typeof how === 'string' ? how : isBlamed(job, how) ? 'lost' : 'released';
  return applyAsHolder(job, token, { type }, now);
}

/** How a run ended that nothing is heard of: one that was frozen is not to blame for the end of its process. */
export function endOfLostRun(
  pauses: { freezes(accountId: string): boolean } | undefined,
  { accountId, isPaused }: Pick<Job, 'accountId' | 'isPaused'>,
): 'released' | 'lost' {
  return isPaused === true || pauses?.freezes(accountId) === true ? 'released' : 'lost';
}

/** Whether a job may be the reason for the end of a worker that has reported this progress of it. */
function isBlamed({ input, outputs }: Job, progress: JobProgress): boolean {
  if (!isFinal(input.state)) return progress.get(input.id)?.event === 'inspecting';
  return outputs.some(({ id, state }) => state === 'processing' && progress.get(id)?.event !== 'uploading');
}

/**
 * The failure of a job for an error of its run. Only error classes that a file can fail with are kept: others, such as
 * `IllegalChangeError`, concern a request or a bug in this program, not the file. Until the input is there, the error
 * is one of the download.
 */
export function failureOfRun(error: unknown, { input }: Pick<Job, 'input'>): JobFailure {
  const fallback = isFinal(input.state) ? 'TranscodingError' : 'DownloadFailureError';
  const failure = toJobFailure(error, fallback);
  const isFileFailure =
    isVencError(error) && error.entry.status === 422 && error.entry.exitCode === exitCodes.jobFailed;
  return isFileFailure ? failure : { ...failure, errorClass: fallback };
}

/** Whether an error only means that the run was stopped. */
function isStopError(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  if (error === signal.reason || isVencError(error, 'ClaimLostError')) return true;
  return error instanceof Error && error.name === 'AbortError';
}

/** An error as log text: a `VencError` by its class and message, others by their stack. Contains no secret. */
export function describeError(error: unknown): string {
  if (isVencError(error)) return redact(String(error));
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
