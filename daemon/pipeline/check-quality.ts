import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import type { QualityRecord } from '../../src/shared/records.js';
import { hasQualityLog, isMeasured, qualityLogName } from '../../src/shared/settings/quality.js';
import { roundToHundredths } from '../../src/shared/text/numbers.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { currentFreezer } from '../../src/shared/util/freezer.js';
import { toJobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import type { PackagedFile } from '../packaging/write-segments.js';
import { type FrameRange, framesOfSamples } from '../plan/quality/choose-samples.js';
import { frameCountOf, framesOfFile } from '../plan/quality/frame-runs.js';
import {
  poolScores,
  qualityWarnings,
  type SecondScore,
  scoresBySecond,
} from '../plan/quality/pool-scores.js';
import { startRateEstimate, updateRateEstimate } from './encoding-progress-reporter.js';
import type { PipelineContext } from './pipeline-context.js';
import type { PlannedOutput } from './plan-job.js';
import { progressWeights } from './progress-weights.js';
import { type FoundFactor, samplesOf } from './search-quality.js';
import { inStage } from './stages.js';

/** What was measured of an output, and what the figures do not show, one sentence each. */
interface CheckedQuality {
  readonly quality?: QualityRecord;
  /** The scores of all seconds, for `quality_log`. */
  readonly perSecond?: readonly SecondScore[];
  readonly warnings: readonly string[];
}

interface CheckOptions {
  readonly scratch: string;
  /** The film. */
  readonly source: { readonly path: string; readonly media: MediaFacts };
  /** The factor that was searched; absent if none was. */
  readonly found?: FoundFactor | undefined;
  /** Whether `max_video_bitrate` decided instead of it. */
  readonly isLimited: boolean;
}

/**
 * Measures the quality of an encoded file if its output asks for it (`measure_quality`, `quality_target`), as far as
 * `quality_check` says. If that fails, the output has a warning; with `strict` it rejects with `QualityError`.
 */
export async function checkQuality(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  media: MediaFacts,
  options: CheckOptions,
): Promise<CheckedQuality> {
  const { scratch, found, isLimited } = options;
  const { output, product, reference } = planned;
  const { settings, id } = output;
  if (!isMeasured(settings)) return { warnings: [] };
  const { quality_check: check = 'full' } = settings;
  // Nothing is predicted of a file that was not made with a searched factor.
  const isUnknown = found !== undefined && (isLimited || found.failure !== undefined);
  if (check === 'none' && !isUnknown) return withoutCheck(planned);
  const unmeasured = (reason: string): CheckedQuality => {
    if (settings.strict === true)
      throw new VencError('QualityError', `The quality could not be measured: ${reason}`);
    return { warnings: [`The quality was not measured: ${reason}`] };
  };
  const { video, durationSeconds: seconds } = media;
  if (video === null) return unmeasured('the output has no video.');
  if (reference === null) return unmeasured('a clip that is copied begins before its first frame.');
  const { metric, frames, declared } = reference;
  const { ffmpeg } = context;
  const file = framesOfFile(product.path, media, video, ffmpeg.capabilities);
  const report = reportCheck(run, output, video.frameCount ?? null, seconds);
  try {
    const ranges = check === 'samples' ? await sampledFrames(run, context, planned, media, options) : [];
    const isSampled = ranges.length > 0;
    const measured = await inStage(run, { name: 'check', outputIds: [id] }, () =>
      ffmpeg.measureQuality(
        {
          ...{ metric, output: file, reference: frames, seconds, frameCount: frameCountOf(video, seconds) },
          ...(isSampled ? { frames: ranges } : {}),
        },
        { signal: run.signal, scratch, onProgress: report, outputId: id },
      ),
    );
    const videos = { output: video, reference: declared };
    const pooled = poolScores(measured, { metric, reference: reference.reference }, videos);
    const warnings = [...reference.warnings, ...qualityWarnings(pooled, measured)];
    const quality = { ...pooled, check: isSampled ? 'samples' : 'full' } as const;
    if (!hasQualityLog(settings)) return { quality, warnings };
    return { quality, warnings, perSecond: scoresBySecond(measured) };
  } catch (error) {
    run.signal.throwIfAborted();
    return unmeasured(toJobFailure(error, 'QualityError').message);
  }
}

/** The frames of the samples of a file; none if it is measured as a whole. */
async function sampledFrames(
  run: Run,
  context: PipelineContext,
  planned: PlannedOutput,
  { video, durationSeconds: seconds }: MediaFacts,
  { source, found }: CheckOptions,
): Promise<readonly FrameRange[]> {
  const samples =
    found?.samples === undefined ? await samplesOf(run, context, planned, source) : found.samples;
  const count = video === null ? null : frameCountOf(video, seconds);
  return samples === null || count === null || seconds === null
    ? []
    : framesOfSamples(samples, count, seconds);
}

/** What is known of a file that is not measured: its factor, if one was searched. */
function withoutCheck({ product, reference }: PlannedOutput): CheckedQuality {
  if (reference === null || product.video?.quality === undefined) return { warnings: [] };
  const { metric, reference: comparedWith } = reference;
  return { quality: { metric, reference: comparedWith, check: 'none' }, warnings: [] };
}

/** Writes the record of a measurement with the score of each second to the scratch folder (`quality_log`). */
export async function writeQualityLog(
  { id, destination }: PlannedOutput['output'],
  { quality: { scores: _, ...record }, perSecond }: Required<Omit<CheckedQuality, 'warnings'>>,
  scratch: string,
): Promise<PackagedFile> {
  const path = join(scratch, `quality-${id}.json`);
  const seconds = perSecond.map(({ time, score }) => ({ time, score: roundToHundredths(score) }));
  const text = `${JSON.stringify({ ...record, per_second: seconds })}\n`;
  await writeFile(path, text);
  return { path, name: qualityLogName(fileNameInUrl(destination)), sizeBytes: Buffer.byteLength(text) };
}

/** Reports the progress of a measurement, which counts frames, or seconds if the number of frames is unknown. */
function reportCheck(
  run: Run,
  output: PlannedOutput['output'],
  frameCount: number | null,
  durationSeconds: number | null,
): (progress: { readonly frame: number | null; readonly seconds: number }) => void {
  const weights = progressWeights(output);
  const total = frameCount ?? durationSeconds;
  let estimate = startRateEstimate();
  return ({ frame, seconds }) => {
    const done = frameCount === null ? seconds : (frame ?? 0);
    estimate = updateRateEstimate(estimate, currentFreezer().elapsedMs(), done);
    const percent = total === null || total <= 0 ? 0 : Math.min(100, (done / total) * 100);
    const { rate } = estimate;
    run.progress(output.id, {
      ...{ event: 'check', percent },
      overallPercent: (weights.search + weights.encode) * 100 + weights.check * percent,
      ...(rate === null || rate <= 0 || total === null
        ? {}
        : { eta_in_ms: Math.round((Math.max(0, total - done) / rate) * 1000) }),
    });
  };
}
