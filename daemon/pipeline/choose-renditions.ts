import { VencError } from '../../src/shared/errors.js';
import type { Size } from '../../src/shared/settings/index.js';
import { ladderDefaults } from '../../src/shared/settings/ladders.js';
import { type Job, type JobOutput, type LadderOptions, toJobFailure } from '../jobs/job.js';
import { isChosen, renditionsToMake, targetOfLadder, trialSettings } from '../jobs/ladder.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import {
  chooseLadder,
  type LadderLimits,
  type LadderPoint,
  type LadderProbe,
  nextLadderProbe,
} from '../plan/quality/choose-ladder.js';
import { onGrid } from '../plan/quality/search-crf.js';
import { contextOfOutput } from './job-context.js';
import type { WithEncoder } from './measure-audio.js';
import type { PipelineContext } from './pipeline-context.js';
import { type PlannedOutput, planJob, type RequestedFiles } from './plan-job.js';
import { progressWeights } from './progress-weights.js';
import { probeFactor, samplesOf, wholeFilm } from './search-quality.js';
import { inStage } from './stages.js';

/** What choosing a ladder needs. */
interface ChoiceOptions {
  /** The facts of the input; null if nothing is recognised in it. */
  readonly media: MediaFacts | null;
  /** The path of the input. */
  readonly input: string;
  readonly scratch: string;
  readonly requestedFiles: RequestedFiles;
  readonly withEncoder: WithEncoder;
}

/** The heights of renditions, besides that of the film. */
const ladderHeights = [2160, 1440, 1080, 720, 540, 360, 234] as const;
/** A height is left out if the next higher one is not higher by this factor. */
const minHeightRatio = 1.1;
/** How much ln(100 - score) grows from one factor that is tried to the next. */
const lossStep = 0.9;
const factorsPerHeight = 3;
/** The most factors that are tried besides, where a curve bends. */
const maxFurtherProbes = 6;

/**
 * Chooses the renditions of the ladder of a job (`generate_dynamic_profile`) by the content of its film: encodes
 * samples in each height with three factors, and measures them against the film. A ladder that an earlier run chose is
 * used again. If it cannot be chosen, the renditions fail. Returns the job.
 */
export async function chooseRenditions(
  run: Run,
  context: PipelineContext,
  job: Job,
  options: ChoiceOptions,
): Promise<Job> {
  const renditions = renditionsToMake(job).filter((output) => !isChosen(output));
  if (job.ladder === undefined || renditions.length === 0) return job;
  const { points, options: limits } = job.ladder;
  if (points !== undefined) return run.change({ type: 'ladder-chosen', points });
  const { media } = options;
  if (media === null || media.video === null) return run.change({ type: 'ladder-chosen', points: [] });
  try {
    const chosen = await options.withEncoder(() =>
      inStage(run, { name: 'ladder', outputIds: renditions.map(({ id }) => id) }, () =>
        measureLadder(run, context, renditions, { ...options, media }, limits),
      ),
    );
    return await run.change({ type: 'ladder-chosen', points: chosen.map(rounded) });
  } catch (error) {
    run.signal.throwIfAborted();
    const failure = toJobFailure(error, 'QualityError');
    const message = `The ladder could not be chosen: ${failure.message}`;
    let failed = job;
    for (const { id } of renditions)
      failed = await run.change({ type: 'output-failed', id, failure: { ...failure, message } });
    return failed;
  }
}

function rounded({ score, kbps, ...point }: LadderPoint): LadderPoint {
  return { ...point, score: Math.round(score * 10) / 10, kbps: Math.round(kbps) };
}

/** Tries sizes and factors on samples of the film. */
async function measureLadder(
  run: Run,
  context: PipelineContext,
  renditions: readonly JobOutput[],
  options: ChoiceOptions & { readonly media: MediaFacts },
  limits: LadderOptions,
): Promise<readonly LadderPoint[]> {
  const { media, input, scratch } = options;
  const best = bestOf(renditions);
  const target = targetOfLadder(renditions);
  const trials = await planTrials(run, context, { ...best, target }, options, limits);
  const [highest] = trials;
  const scale = highest?.product.video?.quality?.scale;
  if (highest === undefined || scale === undefined)
    throw new VencError('QualityError', 'its video has no constant rate factor.');
  const outputContext = contextOfOutput(context, best.id);
  const samples = (await samplesOf(run, outputContext, highest, { path: input, media })) ?? [wholeFilm];
  const report = reportLadder(run, renditions, trials.length * factorsPerHeight + maxFurtherProbes);
  const probes: LadderProbe[] = [];
  const tryFactor = async (trial: PlannedOutput, crf: number) => {
    const { score, bytes } = await probeFactor(run, outputContext, trial, {
      ...{ samples, crf, scratch },
      report: (done) => report(probes.length + done / samples.length),
    });
    const seconds = Math.max(0.04, trial.product.expectedSeconds ?? media.durationSeconds ?? 0);
    probes.push({ height: heightOf(trial), crf, score, kbps: (bytes * 8) / 1000 / seconds });
  };
  const factors = Array.from({ length: factorsPerHeight }, (_, index) =>
    onGrid(scale.first + (index * lossStep) / scale.slope, scale),
  );
  for (const trial of trials) for (const crf of new Set(factors)) await tryFactor(trial, crf);
  const choose = () => chooseLadder(probes, scale, limitsOf(limits, target));
  for (let count = 0; count < maxFurtherProbes; count += 1) {
    const next = nextLadderProbe(probes, choose(), scale);
    const trial = trials.find((one) => heightOf(one) === next?.height);
    if (next === null || trial === undefined) break;
    await tryFactor(trial, next.crf);
  }
  return choose();
}

/** The rendition with the greatest number: its settings are those of the trials. */
function bestOf(renditions: readonly JobOutput[]): JobOutput {
  const number = ({ settings }: JobOutput) => settings.dynamic_profile_rendition ?? 0;
  return renditions.reduce((best, one) => (number(one) > number(best) ? one : best));
}

/** More than the default if more are asked for. */
function maxOf({ min_renditions: min = 0, max_renditions: max }: LadderOptions): number {
  return max ?? Math.max(min, ladderDefaults.max_renditions);
}

function limitsOf(options: LadderOptions, target: number): LadderLimits {
  const given = { ...ladderDefaults, ...options };
  return {
    target,
    minRenditions: Math.min(given.min_renditions, maxOf(options)),
    maxRenditions: maxOf(options),
    minKbps: given.min_bitrate,
    maxKbps: options.max_bitrate ?? Number.POSITIVE_INFINITY,
    maxFirstKbps: options.max_first_rendition_bitrate ?? Number.POSITIVE_INFINITY,
    minRatio: 1 + (options.min_granularity ?? 0) / 100,
    maxRatio: 1 + (options.max_granularity ?? Number.POSITIVE_INFINITY) / 100,
  };
}

/** Plans the video in each height that the ladder may have, highest first. Rejects if it cannot be encoded. */
async function planTrials(
  run: Run,
  context: PipelineContext,
  { target, ...best }: JobOutput & { readonly target: number },
  { media, ...options }: ChoiceOptions & { readonly media: MediaFacts },
  { min_resolution: min, max_resolution: max }: LadderOptions,
): Promise<readonly PlannedOutput[]> {
  // The ids stand for the trials only while they are planned.
  const outputs = [null, ...ladderHeights].map((height, index): JobOutput => {
    const settings = { ...trialSettings(best.settings, height), quality_target: target };
    return { ...best, id: -1 - index, settings };
  });
  const planRun: Run = {
    ...run,
    async change(change) {
      if (!('failure' in change)) return run.job;
      throw new VencError(change.failure.errorClass, change.failure.message);
    },
  };
  const groups = await planJob(planRun, context, { media, ...options, outputs });
  const planned = groups.flatMap((group) => group.latest().individually);
  const sorted = planned.toSorted((a, b) => heightOf(b) - heightOf(a));
  const distinct: PlannedOutput[] = [];
  for (const one of sorted) {
    const last = distinct.at(-1);
    if (last === undefined || heightOf(last) >= heightOf(one) * minHeightRatio) distinct.push(one);
  }
  const small = distinct.filter(({ product }) => max === undefined || fitsInto(product.video, max));
  const fitting = small.filter(({ product }) => min === undefined || fitsInto(min, product.video));
  // The nearest size if none is within the limits.
  const chosen = fitting.length > 0 ? fitting : small.length > 0 ? small.slice(0, 1) : distinct.slice(-1);
  return chosen.map((one) => ({ ...one, output: best }));
}

function heightOf({ product }: PlannedOutput): number {
  return product.video?.height ?? 0;
}

/** Whether a size is within another one, in either orientation. */
function fitsInto(size: Size | null, limit: Size | null): boolean {
  const sides = (one: Size | null) => [one?.width ?? 0, one?.height ?? 0].sort((a, b) => a - b);
  const [[short = 0, long = 0], [shortLimit = 0, longLimit = 0]] = [sides(size), sides(limit)];
  return short <= shortLimit && long <= longLimit;
}

/** Reports how many probes are done as the progress of all renditions. */
function reportLadder(
  run: Run,
  renditions: readonly JobOutput[],
  probeCount: number,
): (doneProbes: number) => void {
  const report = (doneProbes: number) => {
    const percent = (doneProbes / probeCount) * 100;
    for (const output of renditions)
      run.progress(output.id, {
        ...{ event: 'ladder', percent },
        overallPercent: progressWeights(output).search * percent,
      });
  };
  report(0);
  return report;
}
