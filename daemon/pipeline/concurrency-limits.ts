import { type Release, Semaphore } from '../../src/shared/util/semaphore.js';
import type { PausableRun, Run } from '../jobs/run.js';

/** Semaphores for the work of concurrent jobs, one for each kind of work. */
export interface ConcurrencyLimits {
  /** Downloads of inputs from other hosts. */
  readonly downloads: Semaphore;
  /** Copies of inputs on this machine. They never wait for a slow server. */
  readonly copies: Semaphore;
  /** Encoding jobs. */
  readonly encodes: Pick<Semaphore, 'acquire'>;
  /** Uploads of outputs to other hosts. Outputs that stay on this machine are usually moved, and do not wait. */
  readonly uploads: Semaphore;
  /** What holds back jobs that have not encoded yet; nothing if absent. */
  readonly pauses?: EncodePauses;
}

/** Holds back the jobs of accounts. */
export interface EncodePauses {
  /** Whether no job of an account may begin to encode. */
  holds(accountId: string): boolean;
  /** Resolves when that has ended. Rejects with the reason of the signal if that is aborted before. */
  whenResumed(accountId: string, signal: AbortSignal): Promise<void>;
}

/** Creates the limits for the given number of concurrent encodes. */
export function createConcurrencyLimits(
  encodes: number,
  pauses?: EncodePauses,
): ConcurrencyLimits & { readonly encodes: Semaphore } {
  const transfers = transferLimitFor(encodes);
  return {
    downloads: new Semaphore(transfers),
    copies: new Semaphore(transfers),
    encodes: new Semaphore(encodes),
    uploads: new Semaphore(transfers),
    ...(pauses === undefined ? {} : { pauses }),
  };
}

/**
 * The number of runs to start so that this many can encode at once: enough that others can download and upload
 * meanwhile. It limits how many inputs of a long queue are downloaded ahead.
 */
export function runCountFor(encodes: number): number {
  return encodes === 0 ? 0 : encodes + 2 * transferLimitFor(encodes);
}

/** With a single transfer, encoders would wait for a slow server. */
function transferLimitFor(encodes: number): number {
  return Math.max(2, encodes);
}

/** The kinds of work that are limited. */
type LimitedWork = Exclude<keyof ConcurrencyLimits, 'pauses'>;

/**
 * Acquires the limits for one run. Runs that started earlier have priority. While its account is paused, a run does not
 * begin to encode. While it is paused itself, others encode in its place.
 */
export interface RunLimiter {
  /** Greater than that of every earlier run. */
  readonly sequenceNumber: number;
  /** Runs a task once its limit has a free permit. Aborting the signal ends the wait. */
  runExclusive<T>(kind: LimitedWork, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

/** Creates the limiter of a run. While the run only waits, its queue is notified. */
export function createRunLimiter(limits: ConcurrencyLimits, run: Run, sequenceNumber: number): RunLimiter {
  const { pauses } = limits;
  const { pause, job } = run;
  let hasEncoded = false;
  /** Acquires an encode while neither the run nor, for its first one, its account is paused. */
  const acquireEncode = async (signal: AbortSignal): Promise<Release> => {
    for (;;) {
      if (!hasEncoded) await pauses?.whenResumed(job.accountId, signal);
      await pause?.whenEnded(signal);
      const release = await limits.encodes.acquire(sequenceNumber, signal);
      const isHeldBack = pause?.isOn === true || (!hasEncoded && pauses?.holds(job.accountId) === true);
      hasEncoded ||= !isHeldBack;
      if (!isHeldBack) return pause === undefined ? release : holdSlot(pause, release);
      release();
    }
  };
  /** Gives the permit up while the run is paused. */
  const holdSlot = (pause: PausableRun, first: Release): Release => {
    let release = first;
    const ended = new AbortController();
    const unhold = pause.hold({
      release: () => release(),
      async takeAgain(signal) {
        const either = AbortSignal.any([signal, ended.signal]);
        const again = await limits.encodes.acquire(sequenceNumber, either);
        if (either.aborted) again();
        either.throwIfAborted();
        release = again;
      },
    });
    return () => {
      unhold();
      ended.abort();
      release();
    };
  };
  const acquire = (kind: LimitedWork, signal: AbortSignal): Promise<Release> =>
    kind === 'encodes' ? acquireEncode(signal) : limits[kind].acquire(sequenceNumber, signal);
  return {
    sequenceNumber,
    async runExclusive(kind, signal, task) {
      const acquiring = acquire(kind, signal);
      // Waiting for an upload does not count, because the run may encode its next outputs meanwhile.
      const release = await (kind === 'uploads' ? acquiring : run.whileWaiting(acquiring));
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
