import { isFinal } from '../../src/shared/states.js';
import type { Job, LastProgress } from './job.js';
import type { JobProgress } from './progress.js';

/**
 * The job with what is known of the progress of its failed and cancelled files: the run that knew it is over soon, and what was told
 * once must not be taken back (contract, section 6). The very same job where there is nothing new to keep. Pure.
 */
export function withLastProgress(job: Job, progress: JobProgress): Job {
  const fresh = [job.input, ...job.outputs].flatMap(({ id, state }): readonly LastProgress[] => {
    const percent = progress.get(id)?.overallPercent ?? 0;
    const isKept = state === 'finished' || job.lastProgress.some((reached) => reached.id === id);
    return percent === 0 || isKept || !isFinal(state) ? [] : [{ id, percent }];
  });
  return fresh.length === 0 ? job : { ...job, lastProgress: [...job.lastProgress, ...fresh] };
}

/** Overall percent that a file had reached when it failed or was cancelled; 0 where nothing is known of it. */
export function lastProgressPercent(job: Job, id: number): number {
  return job.lastProgress.find((reached) => reached.id === id)?.percent ?? 0;
}
