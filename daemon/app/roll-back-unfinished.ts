import { rollBack } from '../pipeline/deliver.js';
import type { PipelineContext } from '../pipeline/pipeline-context.js';
import type { JobStore } from '../store/job-store.js';

/**
 * Takes away what a daemon that was killed had delivered of outputs that it did not finish: whatever becomes of them now, nothing
 * partial stays at their destinations. Where files are copied to another volume, one that
 * arrived in the very moment of the kill stays. Never rejects.
 */
export async function rollBackUnfinished(
  store: JobStore,
  context: Pick<PipelineContext, 'transports' | 'scratch' | 'log'>,
): Promise<void> {
  const urlsByOutput = new Map<number, string[]>();
  for (const { jobId, outputId, url } of await context.scratch.listDelivered()) {
    try {
      const job = await store.get(jobId);
      const output = job?.outputs.find(({ id }) => id === outputId);
      if (output === undefined || output.state === 'finished') continue;
      urlsByOutput.set(outputId, [...(urlsByOutput.get(outputId) ?? []), url]);
    } catch (error) {
      context.log('warn', `What was delivered of job ${jobId} could not be taken away: ${String(error)}`);
    }
  }
  // Side by side: a server that stands still holds up the start once, not once for each output.
  await Promise.all([...urlsByOutput.values()].map((urls) => rollBack(context, urls)));
}
