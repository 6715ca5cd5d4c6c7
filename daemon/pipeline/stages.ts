import type { ErrorClass } from '../../src/shared/error-classes.js';
import { type JobFailure, toJobFailure } from '../jobs/job-failure.js';
import type { Run } from '../jobs/run.js';

/**
 * Does one stage of a run. What it throws becomes a fault of the job, told through `fail`, and null is given back; a stage that
 * ended because the run was stopped throws on, so that the run ends.
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

/** Has something go on beside the rest of a run. */
export type Spawn = (task: (run: Run) => Promise<void>) => void;

/**
 * Works on, and lets what is begun meanwhile go on beside it; resolves when all of it has ended. The first that throws stops the others,
 * which get a run whose signal says so, and is thrown on when they have let go.
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
  await Promise.all(tasks);
  failure.signal.throwIfAborted();
}
