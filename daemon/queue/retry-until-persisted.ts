import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError } from '../../src/shared/errors.js';
import { type Backoff, backoffDelayMs } from '../../src/shared/util/timing.js';
import type { Job } from '../jobs/job.js';
import type { JobStore } from '../store/job-store.js';

/** Waits for the given number of milliseconds, or until the signal is aborted. Never rejects. */
export type Delay = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** The delay of a run: keeps the process alive. */
export const delay: Delay = (delayMs, signal) => abortableSleep(delayMs, signal, true);

/** The delay of work that the next start can do as well: does not keep the process alive. */
export const unrefDelay: Delay = (delayMs, signal) => abortableSleep(delayMs, signal, false);

function abortableSleep(delayMs: number, signal: AbortSignal, ref: boolean): Promise<void> {
  return sleep(delayMs, undefined, { signal, ref }).catch(() => {
    // Aborted: the delay ends, and the caller checks the signal.
  });
}

/** The delays between attempts. */
export const backoff: Backoff = { firstMs: 250, maxMs: 30_000 };

/** Errors that a retry would not change: the store responded and rejected the change. */
const permanentErrors: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'NotFoundError',
  'GoneError',
  'ClaimLostError',
  'IllegalChangeError',
]);

/** The options of `retryUntilPersisted`. */
interface PersistRetryOptions {
  /** Ends the retries. */
  readonly signal: AbortSignal;
  readonly delay: Delay;
  /** Called after each failure that is followed by another attempt. */
  readonly onFailure: (error: unknown, delayMs: number) => void;
  /** Whether a retry can help; by default unless the store responded and rejected the change. */
  readonly isTemporary?: (error: unknown) => boolean;
}

/**
 * Retries a write of the store until it is durable: a full disk, or a database that is unavailable, only
 * delays it. Resolves to null if the signal is aborted first; rejects with errors that a retry would not
 * change, such as `NotFoundError`.
 */
export async function retryUntilPersisted<T>(
  write: () => Promise<T>,
  retryOptions: PersistRetryOptions,
): Promise<T | null> {
  const { isTemporary = isNotRejected } = retryOptions;
  for (let failures = 1; ; failures += 1) {
    if (retryOptions.signal.aborted) return null;
    try {
      return await write();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      if (retryOptions.signal.aborted) return null;
      const delayMs = backoffDelayMs(failures, backoff);
      retryOptions.onFailure(error, delayMs);
      await retryOptions.delay(delayMs, retryOptions.signal);
    }
  }
}

function isNotRejected(error: unknown): boolean {
  return !isVencError(error) || !permanentErrors.has(error.errorClass);
}

/** Whether an error means that the database cannot store anything now. */
export function isUnavailable(error: unknown): boolean {
  return isVencError(error, 'UnavailableError') || isVencError(error, 'OutOfSpaceError');
}

/**
 * Returns a function that updates a job, and may be called again after it has failed: an update that was stored
 * although its answer was lost is not applied twice. Only for changes by the holder of the claim, because nobody else
 * changes the files of the job meanwhile.
 */
export function repeatableUpdate(
  store: Pick<JobStore, 'update'>,
  id: number,
  change: (job: Job) => Job,
): () => Promise<Job> {
  let changed: Job | null = null;
  return () =>
    store.update(id, (stored) => {
      if (changed !== null && isDeepStrictEqual(filesOf(stored), filesOf(changed))) return stored;
      changed = change(stored);
      return changed;
    });
}

/** What a run changes of a job, as it is stored. */
function filesOf({ state, input, outputs }: Job): unknown {
  return JSON.parse(JSON.stringify({ state, input, outputs }));
}
