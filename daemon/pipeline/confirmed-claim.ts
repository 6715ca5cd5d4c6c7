import { isVencError } from '../../src/shared/errors.js';
import type { Run } from '../jobs/run.js';

/**
 * Makes files visible at a destination only while the run is known to hold its claim. If the claim is not confirmed in
 * time, the work is aborted, and repeated once it is confirmed again: it must be safe to repeat. Rejects like the work,
 * or with the reason of the signal.
 */
export async function withConfirmedClaim<T>(
  run: Pick<Run, 'signal' | 'confirmClaim' | 'wasCutOffSince'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { confirmClaim } = run;
  if (confirmClaim === undefined) return work(run.signal);
  return repeatAfterCut(run, async () => {
    for (;;) {
      const confirmed = await confirmClaim();
      try {
        return await work(AbortSignal.any([run.signal, confirmed]));
      } catch (error) {
        run.signal.throwIfAborted();
        if (!confirmed.aborted) throw error;
      }
    }
  });
}

/**
 * Does work that needs a network. If it fails while this machine is cut off from the daemon or the database, it is
 * repeated once they answer again: the claim may last longer than the retries of a transfer. It must be safe to repeat.
 */
export async function repeatAfterCut<T>(
  { signal, wasCutOffSince }: Pick<Run, 'signal' | 'wasCutOffSince'>,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const startedAt = performance.now();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const wasCutOff = (await wasCutOffSince?.(startedAt)) ?? false;
      signal.throwIfAborted();
      if (!wasCutOff) throw error;
    }
  }
}

/**
 * Whether the run may remove what it delivered. Not after the claim is lost: another worker may have delivered to the
 * same URLs meanwhile. Waits until that is known. `error` is the one that ended the delivery: without an answer to its
 * last change, the output may count as finished.
 */
export async function mayRollBack(
  run: Pick<Run, 'signal' | 'confirmClaim'>,
  error: unknown = null,
): Promise<boolean> {
  if (run.confirmClaim === undefined) return true;
  if (isVencError(error, 'ClaimLostError')) return false;
  if (!run.signal.aborted) await run.confirmClaim().catch(() => undefined);
  return run.signal.reason !== 'worker-lost' && run.signal.reason !== 'claim-lost';
}
