import { Semaphore } from '../../src/shared/util/semaphore.js';
import type { Run } from '../jobs/run.js';

/** What goes on side by side, each kind in so many places. */
export interface ConcurrencyLimits {
  /** Inputs that come from elsewhere. */
  readonly downloads: Semaphore;
  /** Inputs that lie on this machine: none of them waits for a slow server. */
  readonly copies: Semaphore;
  /** Jobs that are encoded. */
  readonly encodes: Semaphore;
  /** Outputs that go elsewhere. Those that stay on this machine are mostly moved, and wait for nobody. */
  readonly uploads: Semaphore;
}

/** Creates the limits for the given number of concurrent encodes. */
export function createConcurrencyLimits(encodes: number): ConcurrencyLimits {
  const transfers = transferLimitFor(encodes);
  return {
    downloads: new Semaphore(transfers),
    copies: new Semaphore(transfers),
    encodes: new Semaphore(encodes),
    uploads: new Semaphore(transfers),
  };
}

/**
 * How many runs are begun so that so many encode at once: as many more as may download and upload beside them. It bounds how far a
 * long queue is fetched ahead.
 */
export function runCountFor(encodes: number): number {
  return encodes === 0 ? 0 : encodes + 2 * transferLimitFor(encodes);
}

/** One alone would leave encoders waiting behind a slow server. */
function transferLimitFor(encodes: number): number {
  return Math.max(2, encodes);
}

/** The priority of a run for every limit: before all runs that began after it. */
export interface RunLimiter {
  /** Greater than that of every run that began before. */
  readonly sequenceNumber: number;
  /** Runs a task once its limit has a free permit. The signal ends the wait. */
  runExclusive<T>(kind: keyof ConcurrencyLimits, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

/** The turn of a run. Where it does nothing but wait, its queue is told so. */
export function createRunLimiter(limits: ConcurrencyLimits, run: Run, sequenceNumber: number): RunLimiter {
  return {
    sequenceNumber,
    async runExclusive(kind, signal, task) {
      const acquiring = limits[kind].acquire(sequenceNumber, signal);
      // The next outputs may be encoded while one waits to be uploaded.
      const release = await (kind === 'uploads' ? acquiring : run.whileWaiting(acquiring));
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
