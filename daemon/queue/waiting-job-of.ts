import type { Job } from '../jobs/job.js';
import { requiredLabels } from '../jobs/required-labels.js';
import { type JobPart, partsOf } from './job-parts.js';
import type { WaitingJob } from './waiting-jobs.js';

/** The entry of a job in the queue. */
export function waitingJobOf(job: Job): WaitingJob {
  const parts = partsOf(job).map(({ outputIds: _, ...part }) => part);
  return {
    id: job.id,
    accountId: job.accountId,
    priority: job.priority ?? 0,
    requires: requiredLabels(job),
    needsKey: JSON.stringify(parts),
  };
}

/** The parts of a job in the queue, in an order that does not depend on that of its outputs. */
export function readParts({ needsKey }: Pick<WaitingJob, 'needsKey'>): readonly JobPart[] {
  return JSON.parse(needsKey);
}
