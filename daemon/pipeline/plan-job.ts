import { isFinal } from '../../src/shared/states.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { canToneMap, isHighRange } from '../plan/decide/colours.js';
import { plan } from '../plan/plan.js';
import type { Plan, Product, Step, WatermarkImage } from '../plan/plan-types.js';
import { watermarkFetcher } from './fetch-watermarks.js';
import { frameAtStart } from './frame-at-start.js';
import type { Workbench } from './pipeline-context.js';

/** Outputs that are made in the same runs of ffmpeg; often one alone. */
export interface PlannedGroup {
  /** They have their steps in common. */
  readonly members: readonly PlannedOutput[];
  /** The same outputs with the steps that make each of them alone. */
  readonly apart: readonly PlannedOutput[];
}

/** One output with what is to be done for it. */
export interface PlannedOutput {
  readonly output: JobOutput;
  readonly steps: readonly Step[];
  readonly product: Product;
  /** The steps that make it alone where its encoder is told another bitrate, in Kbps. */
  readonly stepsAt: (kbps: number) => readonly Step[];
}

/** An output that is still to be made, and what was found out for it. */
interface OpenOutput {
  readonly output: JobOutput;
  readonly watermarks: readonly WatermarkImage[];
  /** See `OutputToPlan`. */
  readonly frameAtStart: number | null;
}

/**
 * Plans what is left to do. Outputs that cannot be made of this input, or whose watermarks cannot be had, are failed here, and left
 * out.
 */
export async function planJob(
  run: Run,
  bench: Workbench,
  given: { readonly media: MediaFacts; readonly input: string; readonly scratch: string },
): Promise<readonly PlannedGroup[]> {
  const fetchWatermarks = watermarkFetcher(run, bench, given.scratch);
  const open: OpenOutput[] = [];
  for (const output of run.job.outputs.filter(({ state }) => !isFinal(state))) {
    const watermarks = await fetchWatermarks(output);
    if (watermarks === null) continue;
    const source = { path: given.input, media: given.media };
    const frame = await frameAtStart(bench.ffmpeg, source, output.settings, run.signal);
    open.push({ output, watermarks, frameAtStart: frame });
  }
  const paths = { input: given.input, scratch: given.scratch };
  const planned = (some: typeof open): Plan =>
    plan(
      some.map(({ output, watermarks, frameAtStart }) => ({
        id: output.id,
        settings: output.settings,
        watermarks,
        frameAtStart,
        filename: fileNameInUrl(output.destination),
        isTest: run.job.test,
      })),
      given.media,
      paths,
      bench.ffmpeg.capabilities,
    );
  const stepsAt = (output: JobOutput) => (video_bitrate: number) =>
    planned(
      open.flatMap((one) =>
        one.output.id === output.id
          ? [{ ...one, output: { ...output, settings: { ...output.settings, video_bitrate } } }]
          : [],
      ),
    ).steps;
  const made = planned(open);
  for (const { outputId, failure: fault } of made.rejections)
    await run.change({ type: 'output-failed', id: outputId, fault });
  const { video } = given.media;
  if (video !== null && isHighRange(video) && !canToneMap(bench.ffmpeg.capabilities)) {
    bench.log(
      'warn',
      `Job ${run.job.id}: the input is HDR and this ffmpeg lacks zscale or tonemap: its outputs may look pale.`,
    );
  }
  const outputs = open.map(({ output }) => output);
  return groupIds(made.steps).map((ids) => ({
    members: plannedOutputs(made, outputs, ids, stepsAt),
    apart: ids.flatMap((id) => {
      const alone = ids.length === 1 ? made : planned(open.filter(({ output }) => output.id === id));
      return plannedOutputs(alone, outputs, [id], stepsAt);
    }),
  }));
}

/** The ids of the outputs that have their steps in common, in the order of the steps. */
function groupIds(steps: readonly Step[]): readonly (readonly number[])[] {
  return steps
    .map(({ outputIds }) => outputIds)
    .filter((ids, at, all) => all.findIndex((earlier) => earlier[0] === ids[0]) === at);
}

function plannedOutputs(
  { steps, products }: Plan,
  outputs: readonly JobOutput[],
  ids: readonly number[],
  stepsAt: (output: JobOutput) => PlannedOutput['stepsAt'],
): readonly PlannedOutput[] {
  return outputs.flatMap((output) => {
    const product = products.find(({ outputId }) => outputId === output.id);
    if (product === undefined || !ids.includes(output.id)) return [];
    const own = steps.filter(({ outputIds }) => outputIds.includes(output.id));
    return [{ output, steps: own, product, stepsAt: stepsAt(output) }];
  });
}
