import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import type { QualityRecord, QualitySearch } from '../../src/shared/records.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { searchEvents } from '../../src/shared/states.js';
import { roundToHundredths } from '../../src/shared/text/numbers.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { toJobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { chooseSamples, type QualitySample } from '../plan/quality/choose-samples.js';
import { framesOfFile } from '../plan/quality/frame-runs.js';
import { sampleSubsampleFor } from '../plan/quality/metric-graph.js';
import { scoresFrom } from '../plan/quality/pool-scores.js';
import {
  type CrfResult,
  correctCrf,
  missesGoal,
  searchCrf,
  type TargetQuality,
} from '../plan/quality/search-crf.js';
import { contextOfOutput } from './job-context.js';
import type { PipelineContext } from './pipeline-context.js';
import { type GroupToEncode, type PlannedOutput, workOf } from './plan-job.js';
import { progressWeights } from './progress-weights.js';
import { inStage } from './stages.js';

/** A probe as the record has it. */
type Probe = QualitySearch['probes'][number];

/** A film that is under a minute, as one sample. */
export const wholeFilm: QualitySample = { startSeconds: 0, lengthSeconds: 0, leadInSeconds: 0, weight: 1 };

/**
 * Finds the constant rate factor with which an output reaches its `quality_target`: encodes samples of the film with up
 * to four factors, and measures each of them. The samples are encoded and filtered like the film. Rejects as
 * `Ffmpeg.run` and `Ffmpeg.measureQuality` do.
 */
async function searchQuality(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  target: TargetQuality,
  source: { readonly path: string; readonly media: MediaFacts },
  scratch: string,
): Promise<FoundFactor> {
  const started = performance.now();
  const chosen = await samplesOf(run, context, planned, source);
  const samples = chosen ?? [wholeFilm];
  const probes: Probe[] = [];
  for (;;) {
    const step = searchCrf(probes, target, target.scale);
    if (step.type === 'found') {
      const search = {
        ...{
          target: target.target,
          floor: target.floor,
          crf: step.crf,
          predicted: roundToHundredths(step.predicted),
        },
        ...{ probes, samples: chosen === null ? 0 : samples.length, limited_by: step.limitedBy },
        search_seconds: roundToHundredths((performance.now() - started) / 1000),
      };
      return { search, samples: chosen };
    }
    const report = reportProbe(run, planned, probes.length, samples.length);
    const probe = () => probeFactor(run, context, planned, { samples, crf: step.crf, scratch, report });
    probes.push(await inStage(run, { name: 'search', outputIds: [planned.output.id] }, probe));
  }
}

/** The factor with which an output is encoded. */
export interface FoundFactor {
  readonly search: QualitySearch;
  /** The samples that were encoded; null for all of the clip. Absent if an earlier run searched, or the search failed. */
  readonly samples?: readonly QualitySample[] | null;
  /** Why the search failed: the factor is the usual one. */
  readonly failure?: string;
}

/**
 * Finds the factors of all outputs of a group that have a `quality_target`, by the ids of the outputs, and plans them
 * with these. A search that an earlier run finished is not repeated. An output whose search fails gets the usual factor.
 */
export async function searchFactors(
  run: Run,
  context: PipelineContext,
  { latest, source, input, setFactor }: GroupToEncode,
  scratch: string,
): Promise<ReadonlyMap<number, FoundFactor>> {
  const factors = new Map<number, FoundFactor>();
  for (const planned of latest().individually) {
    const { output, product } = planned;
    const { quality } = product.video ?? {};
    if (quality === undefined) continue;
    const from = { path: input, media: source.media() };
    const outputContext = contextOfOutput({ ...context, ffmpeg: source.ffmpeg() }, output.id);
    const found: FoundFactor =
      output.search === undefined
        ? await searchQuality(run, outputContext, planned, quality, from, scratch).catch((error: unknown) =>
            failedSearch(run, quality, error),
          )
        : { search: output.search };
    const { search, failure } = found;
    if (output.search === undefined && failure === undefined)
      await run.change({ type: 'quality-searched', id: output.id, search });
    setFactor(output.id, search.crf);
    factors.set(output.id, found);
  }
  return factors;
}

function failedSearch(run: Run, quality: TargetQuality, error: unknown): FoundFactor {
  run.signal.throwIfAborted();
  const { target, floor, scale } = quality;
  const { crf } = searchCrf([], quality, scale);
  return {
    search: {
      ...{ target, floor, crf, predicted: target },
      ...{ probes: [], samples: 0, search_seconds: 0, limited_by: null },
    },
    failure: toJobFailure(error, 'QualityError').message,
  };
}

/** A file that was encoded for a `quality_target`. */
interface SearchedFile {
  readonly quality?: QualityRecord;
  readonly warnings: readonly string[];
  /** Whether `max_video_bitrate` decided instead. */
  readonly isLimited: boolean;
}

/**
 * Makes a file with the factor that was found, and once more with a corrected one if it misses its target. Resolves to
 * the file with the search in its record, and with a warning if the search failed or the target was missed; with
 * `strict` it rejects with `QualityError`.
 */
export async function reachTarget<T extends SearchedFile>(
  { output: { id, settings }, product }: Pick<PlannedOutput, 'output' | 'product'>,
  { search, failure }: FoundFactor,
  setFactor: GroupToEncode['setFactor'],
  make: (isCorrection: boolean) => Promise<T>,
): Promise<T> {
  const failed = failure === undefined ? [] : [`The factor for the quality was not searched: ${failure}`];
  if (settings.strict === true && failure !== undefined) throw new VencError('QualityError', failed.join());
  const first = await make(false);
  const { quality: goal } = product.video ?? {};
  const corrected =
    first.isLimited || search.limited_by === 'crf' || first.quality?.mean === undefined || goal === undefined
      ? null
      : correctCrf(resultOf(search.crf, first.quality, search), search.probes, goal, goal.scale);
  if (corrected !== null) setFactor(id, corrected);
  const file = corrected === null ? first : await make(true);
  const { quality } = file;
  if (quality === undefined) return { ...file, warnings: [...file.warnings, ...failed] };
  const crf = corrected ?? search.crf;
  const result = resultOf(crf, quality, search);
  const isMissed = missesGoal(result, search);
  const limitedBy = limitOf(search, settings, { isMissed, isLimited: file.isLimited });
  const missed = isMissed ? [missedSentence(result, search, limitedBy, quality.mean === undefined)] : [];
  if (settings.strict === true && isMissed) throw new VencError('QualityError', missed.join());
  return {
    ...file,
    quality: {
      ...{ ...quality, ...search, crf },
      ...{ corrections: corrected === null ? 0 : 1, limited_by: limitedBy },
    },
    warnings: [...file.warnings, ...failed, ...missed],
  };
}

/** What a factor gave. If the file was not measured that is what was predicted. */
function resultOf(
  crf: number,
  { mean, worst_second }: QualityRecord,
  { predicted }: QualitySearch,
): CrfResult {
  return { crf, score: mean ?? predicted, worst: worst_second?.score ?? predicted };
}

/** What kept a file from its target; null if nothing did. */
function limitOf(
  { limited_by }: QualitySearch,
  { bitrate_cap }: OutputSettings,
  { isMissed, isLimited }: { readonly isMissed: boolean; readonly isLimited: boolean },
): QualitySearch['limited_by'] {
  if (isLimited) return 'max_video_bitrate';
  if (!isMissed) return limited_by === 'probes' ? null : limited_by;
  return bitrate_cap === undefined ? (limited_by ?? 'probes') : 'bitrate_cap';
}

function missedSentence(
  { score, worst }: CrfResult,
  { target, floor }: QualitySearch,
  limitedBy: QualitySearch['limited_by'],
  isPredicted: boolean,
): string {
  const parts = [
    ...(score < target
      ? [`the ${isPredicted ? 'predicted ' : ''}quality is ${score} instead of ${target}`]
      : []),
    ...(floor !== null && worst < floor ? [`the worst second is ${worst} instead of ${floor}`] : []),
  ];
  return `The requested quality was not reached: ${parts.join(', and ')} (limited by ${limitedBy}).`;
}

/** Longer clips have their samples in their first week. */
const maxSampledSeconds = 7 * 24 * 3600;

/**
 * The samples of the clip of an output; null for all of it. They are chosen by time if the packets of the input have no
 * times, or take too long to read. Rejects as `Ffmpeg.measureSeconds` does.
 */
export async function samplesOf(
  run: Run,
  { ffmpeg }: PipelineContext,
  { output: { settings }, product }: PlannedOutput,
  { path, media }: { readonly path: string; readonly media: MediaFacts },
): Promise<readonly QualitySample[] | null> {
  const { expectedSeconds } = product;
  if (media.video === null || expectedSeconds === null) return null;
  const bytes = await ffmpeg.measureSeconds(path, media.video.streamIndex, run.signal);
  run.signal.throwIfAborted();
  const first = Math.floor(settings.start_clip ?? 0);
  const length = Math.floor(Math.min(expectedSeconds, maxSampledSeconds));
  const clip = bytes.slice(first, first + length);
  return chooseSamples(clip.length > 0 ? clip : Array.from({ length }, () => 0));
}

/** What a probe encodes: parts of a film, at this factor. */
export interface ProbeOptions {
  readonly samples: readonly QualitySample[];
  readonly crf: number;
  readonly scratch: string;
  readonly report: (doneSamples: number) => void;
}

/** Encodes samples with a factor, and measures them. Rejects as `Ffmpeg.run` and `Ffmpeg.measureQuality` do. */
export async function probeFactor(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  { samples, crf, scratch, report }: ProbeOptions,
): Promise<Probe> {
  const started = performance.now();
  const threads = samples.length > 1 ? 1 : undefined;
  let done = 0;
  const results = await mapWithConcurrency(samples, availableParallelism(), async (sample) => {
    const folder = await mkdtemp(join(scratch, 'sample-'));
    try {
      const result = await measureSample(run, context, planned, { sample, crf, folder, threads });
      done += 1;
      report(done);
      return { ...result, weight: sample.weight };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  const weighted = (value: (one: (typeof results)[number]) => number) =>
    results.reduce((sum, one) => sum + one.weight * value(one), 0);
  const seconds = planned.product.expectedSeconds ?? 0;
  return {
    ...{ crf, score: roundToHundredths(weighted(({ score }) => score)) },
    worst: roundToHundredths(Math.min(...results.map(({ worst }) => worst))),
    bytes: Math.round(weighted(({ bytesPerSecond }) => bytesPerSecond) * seconds),
    seconds: roundToHundredths((performance.now() - started) / 1000),
  };
}

/** Encodes a sample, and measures it without its lead-in. */
async function measureSample(
  run: Run,
  { ffmpeg }: PipelineContext,
  { output, planPart, product: { expectedSeconds } }: PlannedOutput,
  {
    sample,
    crf,
    folder,
    threads,
  }: {
    readonly sample: QualitySample;
    readonly crf: number;
    readonly folder: string;
    readonly threads: number | undefined;
  },
): Promise<Omit<CrfResult, 'crf'> & { readonly bytesPerSecond: number }> {
  const { leadInSeconds } = sample;
  const part = planPart(sample === wholeFilm ? null : sample, crf, folder);
  const { product, reference } = part;
  const options = { signal: run.signal, scratch: folder, onProgress: () => {}, outputId: output.id };
  for (const { path, content } of part.files) await writeFile(path, content);
  for (const step of part.steps) await ffmpeg.run(step.args, { ...options, work: workOf(step, [part]) });
  const media = await ffmpeg.probe(product.path, run.signal);
  if (media.video === null || reference === null) throw new TypeError('a sample has no video');
  const { durationSeconds: seconds, video } = media;
  const request = {
    ...{ metric: reference.metric, reference: reference.frames, seconds },
    output: framesOfFile(product.path, media, video, ffmpeg.capabilities),
    ...(threads === undefined ? {} : { threads }),
    ...(sample === wholeFilm ? {} : { subsample: sampleSubsampleFor(expectedSeconds ?? 0) }),
  };
  const measured = await ffmpeg.measureQuality(request, options);
  const { mean, worst } = scoresFrom(measured, leadInSeconds);
  const bytes = await ffmpeg.measureSeconds(product.path, video.streamIndex, run.signal);
  run.signal.throwIfAborted();
  const counted = bytes.slice(leadInSeconds);
  const length = Math.max(0.04, (seconds ?? bytes.length) - leadInSeconds);
  return { score: mean, worst, bytesPerSecond: counted.reduce((sum, one) => sum + one, 0) / length };
}

/** Reports the progress of a probe, which counts samples. */
function reportProbe(
  run: Run,
  { output }: PlannedOutput,
  earlierProbes: number,
  sampleCount: number,
): (doneSamples: number) => void {
  const event = searchEvents[earlierProbes] ?? 'search 4 of 4';
  const weights = progressWeights(output);
  const report = (doneSamples: number) => {
    const percent = (doneSamples / sampleCount) * 100;
    const overallPercent = (weights.search * (earlierProbes * 100 + percent)) / searchEvents.length;
    run.progress(output.id, { event, percent, overallPercent });
  };
  report(0);
  return report;
}
