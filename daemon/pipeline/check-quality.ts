import { VencError } from '../../src/shared/errors.js';
import type { QualityRecord } from '../../src/shared/records.js';
import { isMeasured } from '../../src/shared/settings/quality.js';
import { toJobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { framesOfFile } from '../plan/quality/frame-runs.js';
import { poolScores, qualityWarnings } from '../plan/quality/pool-scores.js';
import { startRateEstimate, updateRateEstimate } from './encoding-progress-reporter.js';
import type { PipelineContext } from './pipeline-context.js';
import type { PlannedOutput } from './plan-job.js';
import { progressWeights } from './progress-weights.js';
import { inStage } from './stages.js';

/** What was measured of an output, and what the figures do not show, one sentence each. */
interface CheckedQuality {
  readonly quality?: QualityRecord;
  readonly warnings: readonly string[];
}

/**
 * Measures the quality of an encoded file if its output asks for it (`measure_quality`). If that fails, the output has a
 * warning; with `strict` it rejects with `QualityError`.
 */
export async function checkQuality(
  run: Run,
  context: PipelineContext,
  { output, product, reference }: PlannedOutput,
  media: MediaFacts,
  scratch: string,
): Promise<CheckedQuality> {
  const { settings, id } = output;
  if (!isMeasured(settings)) return { warnings: [] };
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
    const measured = await inStage(run, { name: 'check', outputIds: [id] }, () =>
      ffmpeg.measureQuality(
        { metric, output: file, reference: frames, seconds },
        { signal: run.signal, scratch, onProgress: report, outputId: id },
      ),
    );
    const videos = { output: video, reference: declared };
    const quality = poolScores(measured, { metric, reference: reference.reference }, videos);
    return { quality, warnings: [...reference.warnings, ...qualityWarnings(quality, measured)] };
  } catch (error) {
    run.signal.throwIfAborted();
    return unmeasured(toJobFailure(error, 'QualityError').message);
  }
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
    estimate = updateRateEstimate(estimate, performance.now(), done);
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
