import { setImmediate } from 'node:timers/promises';
import type { JobSearch } from './job-store.js';

/** What a step of a search has read. */
interface SearchStep {
  /** The number of jobs; 0 if there are no more. */
  readonly readCount: number;
  /** The ids of those that match, newest first. */
  readonly matches: readonly number[];
}

/** What a search has found. */
interface FoundJobs {
  /** The ids of all jobs that match, newest first. */
  readonly ids: readonly number[];
  readonly readCount: number;
  /** Whether older jobs were not read. */
  readonly isPartial: boolean;
}

/**
 * Searches jobs within the limits of a search. `step` reads the next jobs, newest first, at most as many as it is given;
 * it keeps none of them. Other work has its turn between the steps. Rejects with the reason of the signal.
 */
export async function runSearch(
  { maxJobs, maxMs, signal }: Omit<JobSearch, 'text' | 'label'>,
  stepSize: number,
  step: (limit: number) => Promise<SearchStep>,
): Promise<FoundJobs> {
  const endsAt = performance.now() + maxMs;
  const ids: number[] = [];
  let readCount = 0;
  while (readCount < maxJobs && performance.now() < endsAt) {
    const found = await step(Math.min(stepSize, maxJobs - readCount));
    if (found.readCount === 0) return { ids, readCount, isPartial: false };
    readCount += found.readCount;
    ids.push(...found.matches);
    await setImmediate();
    signal?.throwIfAborted();
  }
  const { readCount: others } = await step(1);
  return { ids, readCount, isPartial: others > 0 };
}
