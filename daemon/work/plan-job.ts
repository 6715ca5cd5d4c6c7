import { isFinal } from '../../src/api/states.js';
import { fileNameInUrl } from '../../src/api/url-text.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { plan } from '../plan/plan.js';
import type { Product, Step, WatermarkPicture } from '../plan/plan-types.js';
import type { Run } from '../queue/job-queue.js';
import { watermarkFetcher } from './fetch-watermarks.js';
import type { Workbench } from './workbench.js';

/** One output with what is to be done for it. */
export interface PlannedOutput {
  readonly output: JobOutput;
  readonly steps: readonly Step[];
  readonly product: Product;
}

/**
 * Plans what is left to do. Outputs that cannot be made of this input, or whose watermarks cannot be had, are failed here, and left
 * out.
 */
export async function planJob(
  run: Run,
  bench: Workbench,
  given: { readonly media: MediaFacts; readonly input: string; readonly scratch: string },
): Promise<readonly PlannedOutput[]> {
  const fetchWatermarks = watermarkFetcher(run, bench, given.scratch);
  const open: { readonly output: JobOutput; readonly watermarks: readonly WatermarkPicture[] }[] = [];
  for (const output of run.job.outputs.filter(({ state }) => !isFinal(state))) {
    const watermarks = await fetchWatermarks(output);
    if (watermarks !== null) open.push({ output, watermarks });
  }
  const made = plan(
    open.map(({ output, watermarks }) => ({
      id: output.id,
      settings: output.settings,
      watermarks,
      filename: fileNameInUrl(output.destination),
      isTest: run.job.test,
    })),
    given.media,
    { input: given.input, scratch: given.scratch },
    bench.ffmpeg.abilities,
  );
  for (const { outputId, fault } of made.refusals)
    await run.change({ type: 'output-failed', id: outputId, fault });
  return open.flatMap(({ output }) => {
    const product = made.products.find(({ outputId }) => outputId === output.id);
    if (product === undefined) return [];
    return [{ output, steps: made.steps.filter(({ outputIds }) => outputIds.includes(output.id)), product }];
  });
}
