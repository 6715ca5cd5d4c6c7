import { applyAsHolder } from './changes.js';
import { endedClaimOf } from './claims.js';
import type { Job } from './job.js';
import type { Change } from './legal-changes.js';

/** A change of a job by the remote worker that holds its claim. */
interface NumberedChange {
  /** The token of the claim. */
  readonly token: string;
  /** Numbers the changes of one claim from 1. */
  readonly changeNumber: number;
  readonly change: Change;
}

/**
 * Whether a change is stored already. A worker repeats a change whose answer was lost, and the job may have ended with
 * that change.
 */
export function isStoredChange(
  job: Job,
  { token, changeNumber }: Pick<NumberedChange, 'token' | 'changeNumber'>,
): boolean {
  const claim = job.worker?.token === token ? job.worker : endedClaimOf(job, token);
  return claim !== undefined && changeNumber <= claim.changeNumber;
}

/**
 * Applies a change by the holder of a claim, numbered by a remote worker. A change that is stored already changes
 * nothing, nor does one that follows the end of the claim's outputs: that was stored, and its answer lost. Throws
 * `ClaimLostError` if the claim is no longer held.
 */
export function applyByHolder(
  job: Job,
  { token, change, changeNumber }: Omit<NumberedChange, 'changeNumber'> & Partial<NumberedChange>,
  now: Date,
): Job {
  if (changeNumber === undefined)
    return endedClaimOf(job, token) === undefined ? applyAsHolder(job, token, change, now) : job;
  if (isStoredChange(job, { token, changeNumber })) return job;
  const changed = applyAsHolder(job, token, change, now);
  const { worker, endedClaims } = changed;
  const isOwn = (claim: { readonly token: string }) => claim.token === token;
  return {
    ...changed,
    ...(worker === undefined || !isOwn(worker) ? {} : { worker: { ...worker, changeNumber } }),
    ...(endedClaims === undefined
      ? {}
      : { endedClaims: endedClaims.map((claim) => (isOwn(claim) ? { ...claim, changeNumber } : claim)) }),
  };
}
