import type { Job } from '../jobs/job.js';
import { type DeliveredUrls, ownerOf, rollBack } from '../pipeline/deliver.js';
import type { PipelineContext } from '../pipeline/pipeline-context.js';
import type { JobStore } from '../store/job-store.js';

/**
 * Removes what a killed daemon had delivered of unfinished outputs, so that nothing partial stays at their
 * destinations. If files are copied to another volume, a file that arrived at the moment of the kill stays.
 * Never rejects.
 */
export async function rollBackUnfinished(
  store: JobStore,
  context: Pick<PipelineContext, 'transports' | 'savedCredentials' | 'scratch' | 'log'> & {
    /** Whether no other daemon has run the job since. */
    readonly isOwnRun: (job: Job) => boolean;
  },
): Promise<void> {
  const deliveries = new Map<number, DeliveredUrls>();
  for (const { jobId, outputId, url } of await context.scratch.listDelivered()) {
    try {
      const job = await store.get(jobId);
      const output = job?.outputs.find(({ id }) => id === outputId);
      if (job === null || output === undefined || output.state === 'finished' || !context.isOwnRun(job))
        continue;
      const urls = deliveries.get(outputId)?.urls ?? [];
      deliveries.set(outputId, { urls: [...urls, url], job, ownerOfUrl: (one) => ownerOf(job, output, one) });
    } catch (error) {
      context.log('warn', `Delivered files of job ${jobId} could not be removed: ${String(error)}`, {
        jobId,
      });
    }
  }
  // Concurrently: an unresponsive server delays the start once, not once per output.
  await Promise.all([...deliveries.values()].map((delivered) => rollBack(context, delivered)));
}
