import type { ErrorClass } from '../../src/shared/error-classes.js';
import { type JobFailure, toJobFailure } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { Stage, StageOutcome } from '../jobs/run-observer.js';

/**
 * Runs one stage. An error becomes a failure of the job or the output, which `fail` reports, and null is returned. If
 * the run was stopped, the error is rethrown so that the run ends.
 */
export async function runStage<T>(
  run: Run,
  stage: () => Promise<T>,
  fallback: ErrorClass,
  fail: (failure: JobFailure) => Promise<unknown>,
): Promise<T | null> {
  try {
    return await stage();
  } catch (error) {
    run.signal.throwIfAborted();
    await fail(toJobFailure(error, fallback));
    return null;
  }
}

/** Does the work of a stage, and reports its begin and its end to the observers of the run. Settles like the work. */
export async function inStage<T>(run: Run, stage: Stage, work: () => Promise<T>): Promise<T> {
  const end = run.startStage?.(stage);
  try {
    const result = await work();
    end?.({ type: 'done' });
    return result;
  } catch (error) {
    end?.(outcomeOf(run, error));
    throw error;
  }
}

/** How a stage or a run ended that threw an error. */
export function outcomeOf({ signal }: Pick<Run, 'signal'>, error: unknown): StageOutcome {
  // The reason of a signal that a queue aborts is a `StopReason`; that of a task group is the error of another task.
  return signal.aborted && typeof signal.reason === 'string'
    ? { type: 'stopped', reason: signal.reason }
    : { type: 'failed', error };
}

/** Starts a task that runs concurrently with the rest of the run. */
export type Spawn = (task: (run: Run) => Promise<void>) => void;

/**
 * Runs `work` and the tasks that it spawns; resolves when all have ended. The first error aborts the signal of the
 * others, and is rethrown once they have ended.
 */
export async function withTaskGroup(
  run: Run,
  work: (run: Run, spawn: Spawn) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const groupRun: Run = { ...run, signal: AbortSignal.any([run.signal, failure.signal]) };
  const guard = (task: Promise<void>) => task.catch((error: unknown) => failure.abort(error));
  const tasks: Promise<void>[] = [];
  await guard(work(groupRun, (task) => tasks.push(guard(task(groupRun)))));
  // Tasks may spawn others until they end.
  for (const task of tasks) await task;
  failure.signal.throwIfAborted();
}
