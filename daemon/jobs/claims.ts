import { VencError } from '../../src/shared/errors.js';
import { applyAsHolder } from './changes.js';
import { withoutEndedClaims } from './end-of-claim.js';
import type { EndedClaim, Job } from './job.js';
import type { Change } from './legal-changes.js';

/** A claim that ended before the job did; undefined if the token names none. */
export function endedClaimOf(
  { endedClaims = [] }: Pick<Job, 'endedClaims'>,
  token: string,
): EndedClaim | undefined {
  return endedClaims.find((claim) => claim.token === token);
}

/** Whether a claim is held, or its holder ended the job or its outputs of it. */
export function isKnownClaim(job: Job, token: string): boolean {
  return job.claim === token || job.worker?.token === token || endedClaimOf(job, token) !== undefined;
}

/** Whether the holder of a claim has ended the job, or its outputs of it. */
export function isEndedByHolder(job: Job, token: string): boolean {
  const isEnded = job.state === 'finished' || job.state === 'failed';
  return (isEnded && job.worker?.token === token) || endedClaimOf(job, token) !== undefined;
}

/** Whether the job was cancelled while a worker held the claim. */
export function isCancelledClaim({ state, worker }: Pick<Job, 'state' | 'worker'>, token: string): boolean {
  return state === 'cancelled' && worker?.token === token;
}

/** A job as it is sent to a worker: without what only the daemon needs, and without the tokens of other workers. */
export function jobForWorker(job: Job): Job {
  const { inputName: _, notificationAttempts: _attempts, ...sent } = withoutEndedClaims(job);
  return { ...sent, notifications: [], pendingNotifications: [], idempotency: null };
}

/** The error of a claim that is not held any more. */
export function claimLostError(jobId: number): VencError {
  return new VencError('ClaimLostError', `The claim of job ${jobId} is no longer held: stop the work on it.`);
}

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
