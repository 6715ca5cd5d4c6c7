import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import type { JobStore } from '../store/job-store.js';

/** The holder of a claim. */
export interface ClaimHolder {
  readonly token: string;
  /** Name of a remote worker; null for the daemon itself. */
  readonly worker: string | null;
  /** The outputs that it makes of a job; null for all. It makes all by default. */
  readonly outputsOf?: (job: Job) => readonly number[] | null;
}

/** Number of crashes after which a job runs alone (contract, section 5). */
export const exclusiveAfterCrashes = 2;

/** The options of `claimJob`. */
interface ClaimOptions {
  readonly holder: ClaimHolder;
  readonly now: () => Date;
  /** Whether there are other runs now. */
  readonly hasOtherRuns: () => boolean;
}

/**
 * The claimed job; `passed-over` if it is no longer `waiting`; `needs-exclusive-run` if all other runs must
 * end first; `not-accepted` if the holder makes none of its outputs.
 */
export type ClaimOutcome = Job | 'passed-over' | 'needs-exclusive-run' | 'not-accepted';

/**
 * Claims a job in one write. Checks the crashes before the claim and not after it: if the daemon were killed
 * while a claimed job waited for other runs to end, the job would be blamed for a crash of one of them.
 */
export async function claimJob(store: JobStore, id: number, options: ClaimOptions): Promise<ClaimOutcome> {
  const { token, worker, outputsOf = () => null } = options.holder;
  let isAccepted = true;
  const job = await store.update(id, (stored) => {
    const mustWait = stored.crashes >= exclusiveAfterCrashes && options.hasOtherRuns();
    if (stored.state !== 'waiting' || mustWait) return stored;
    const outputIds = outputsOf(stored);
    isAccepted = outputIds?.length !== 0;
    if (!isAccepted) return stored;
    const claimed = {
      ...({ type: 'claimed', token } as const),
      ...(worker === null ? {} : { worker }),
      ...(outputIds === null ? {} : { outputIds }),
    };
    return apply(stored, claimed, options.now());
  });
  // Also true if an earlier attempt to claim failed only after it was stored.
  if (job.claim === token) return job;
  if (job.state === 'waiting' && !isAccepted) return 'not-accepted';
  return job.state === 'waiting' ? 'needs-exclusive-run' : 'passed-over';
}
