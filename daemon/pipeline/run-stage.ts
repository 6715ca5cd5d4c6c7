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
