import { apply } from '../../jobs/changes.js';
import type { Job } from '../../jobs/job.js';
import type { JobStore } from '../../store/job-store.js';

/** Crashes after which a job runs with no other beside it (contract, section 5). */
export const exclusiveAfterCrashes = 2;

/** How a job is to be claimed. */
export interface ClaimOptions {
  readonly token: string;
  readonly now: () => Date;
  /** Whether other runs go on at this moment. */
  readonly hasOtherRuns: () => boolean;
}

/** The claimed job; or that it was passed over, being no longer `waiting`; or that the others must end first. */
export type ClaimOutcome = Job | 'passed-over' | 'needs-quiet';

/**
 * Claims a job in one write. Crashes are looked at before the claim and not after it: were the daemon killed
 * while a claimed job waited for the others to end, it would be blamed for what one of them did.
 */
export async function claim(store: JobStore, id: number, options: ClaimOptions): Promise<ClaimOutcome> {
  const job = await store.update(id, (stored) => {
    const mustWait = stored.crashes >= exclusiveAfterCrashes && options.hasOtherRuns();
    if (stored.state !== 'waiting' || mustWait) return stored;
    return apply(stored, { type: 'claimed', token: options.token }, options.now());
  });
  // Also true where an earlier attempt to claim failed only after it was kept.
  if (job.claim === options.token) return job;
  return job.state === 'waiting' ? 'needs-quiet' : 'passed-over';
}
