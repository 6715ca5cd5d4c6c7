import { isVencError } from '../../src/shared/errors.js';
import { isFinal, type JobState } from '../../src/shared/states.js';
import type { Log } from '../../src/shared/util/log.js';
import type { Job, JobFailure } from '../jobs/job.js';
import type { Run, RunHandler, RunInErrorScope, StopReason } from '../jobs/run.js';
import { describeError, failureOfRun, isStopError } from '../queue/end-of-run.js';
import type { RemoteRun } from './remote-run.js';

/** How a claim ended: the state of the job if this worker ended it, otherwise why the run was stopped. */
export type ClaimOutcome = JobState | StopReason;

/** What running a claim needs. */
interface RunClaimDeps {
  readonly handler: RunHandler;
  readonly log: Log;
  readonly runInErrorScope: RunInErrorScope;
  /** Reports to the daemon that nothing of the job is left here. */
  readonly end: () => Promise<void>;
}

/**
 * Runs the job of a claim to its end, and settles what the handler leaves open. A stopped run gives the job back once nothing of it is left
 * on this machine. Never rejects.
 */
export async function runClaim(remote: RemoteRun, deps: RunClaimDeps): Promise<ClaimOutcome> {
  const { handler, log, runInErrorScope } = deps;
  const { run: base } = remote;
  const { id } = base.job;
  const broken = new AbortController();
  const run: Run = { ...base, signal: AbortSignal.any([base.signal, broken.signal]) };
  try {
    const scope = { job: base.job, fail: (error: unknown) => broken.abort(error) };
    await runInErrorScope(scope, () => handler(run));
    if (!remote.isDone && !run.signal.aborted) throw new Error('The run ended before the job did.');
    if (!remote.isDone && broken.signal.aborted) throw broken.signal.reason;
  } catch (thrown) {
    const error: unknown = broken.signal.aborted ? broken.signal.reason : thrown;
    if (!broken.signal.aborted && !isStopError(error, base.signal))
      log('error', `The run of job ${id} ended with an error: ${describeError(error)}`, { jobId: id });
    if (!remote.isDone && remote.reason === null)
      await failRest(remote, failureOfRun(error, remote.job), log);
  }
  await remote.close();
  if (remote.isDone) return remote.job.state;
  // A worker that has lost its claim has nothing to give back.
  if (remote.reason !== 'worker-lost') await deps.end();
  return remote.reason ?? 'worker-lost';
}

/** Fails what is left of a job. Never rejects. */
async function failRest(remote: RemoteRun, failure: JobFailure, log: Log): Promise<void> {
  try {
    if (!isFinal(remote.job.input.state)) {
      await remote.change({ type: 'input-failed', failure });
      return;
    }
    // The failure of a source also ends the outputs that wait for it, so those that have started come first.
    for (const type of ['output-failed', 'source-failed'] as const) {
      for (const id of unfinishedOutputs(remote.job, type === 'source-failed')) {
        if (unfinishedOutputs(remote.job, type === 'source-failed').includes(id))
          await remote.change({ type, id, failure });
      }
    }
  } catch (error) {
    if (isVencError(error, 'ClaimLostError') || remote.reason !== null) return;
    const { id } = remote.job;
    log('error', `Job ${id} cannot be failed: ${describeError(error)}`, { jobId: id });
  }
}

function unfinishedOutputs({ outputs }: Job, isWaiting: boolean): readonly number[] {
  return outputs
    .filter(({ state }) => !isFinal(state) && (state === 'waiting') === isWaiting)
    .map(({ id }) => id);
}
