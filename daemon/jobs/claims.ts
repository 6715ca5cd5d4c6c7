import { VencError } from '../../src/shared/errors.js';
import { withoutEndedClaims } from './end-of-claim.js';
import type { EndedClaim, Job } from './job.js';

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
  return { ...withoutEndedClaims(job), notifications: [], pendingNotifications: [], idempotency: null };
}

/** The error of a claim that is not held any more. */
export function claimLostError(jobId: number): VencError {
  return new VencError('ClaimLostError', `The claim of job ${jobId} is no longer held: stop the work on it.`);
}
