import { isFinal } from '../../src/api/states.js';
import type { Run, RunHandler } from '../queue/job-queue.js';
import { deliver } from './deliver.js';
import { download } from './download.js';
import { encode } from './encode.js';
import { inspect } from './inspect.js';
import { planJob } from './plan-job.js';
import { takeThumbnails } from './take-thumbnails.js';
import type { Workbench } from './workbench.js';

/**
 * Carries one job out, stage by stage: download, inspect, plan, then encode the outputs, together those that can share
 * the decoding, and deliver each. What fails is
 * told to the job as a change; an output that fails takes no other with it. Ends early, leaving no file and no
 * encoder, when the run is stopped.
 */
export function jobRunner(bench: Workbench): RunHandler {
  return async (run) => {
    const scratch = await bench.scratch.open(run.job.id);
    try {
      await carryOut(logged(run, bench), bench, scratch);
    } catch (error) {
      // Whoever stopped the run has already said what becomes of the job.
      if (!run.signal.aborted) throw error;
    } finally {
      await bench.scratch.close(scratch);
    }
  };
}

async function carryOut(run: Run, bench: Workbench, scratch: string): Promise<void> {
  const source = await download(run, bench, scratch);
  if (source === null) return;
  const media = await inspect(run, bench, source);
  if (media === null) return;
  for (const group of await planJob(run, bench, { media, input: source.path, scratch })) {
    for await (const { output, encoded } of encode(run, bench, group, scratch)) {
      const thumbnails = await takeThumbnails(run, bench, { output, encoded, scratch });
      if (thumbnails !== null) await deliver(run, bench, { output, encoded, thumbnails, scratch });
    }
  }
}

/** The same run, with what becomes of the job and its files told in the log. */
function logged(run: Run, { log }: Workbench): Run {
  const { id } = run.job;
  log('info', `Job ${id} is begun.`);
  return {
    ...run,
    async change(change) {
      const job = await run.change(change);
      if ('fault' in change) {
        const part = 'id' in change ? `output ${change.id}` : 'the input';
        log('warn', `Job ${id}: ${part} failed, ${change.fault.errorClass}: ${change.fault.message}`);
      }
      if (isFinal(job.state)) log('info', `Job ${id} is ${job.state}.`);
      return job;
    },
  };
}
