import type { EncodeProgress } from '../ffmpeg/ffmpeg-types.js';
import type { FileProgress } from '../jobs/progress.js';
import type { Step } from '../plan/plan-types.js';

/** Converts the progress of a step to that of its output. `atMs` is the time of the report on a monotonic clock. */
type EncodingProgressReporter = (step: Step, progress: EncodeProgress, atMs: number) => FileProgress;

/**
 * Creates the progress reporter of one output. `steps` are all its steps in order, and `weight` is the part of encoding
 * in all its work, after the part in `doneWeight`. Reports must follow the order of the steps. The percentage never
 * falls. The remaining time covers the steps, the thumbnails and the measurement of the quality, and is reported as
 * soon as it can be estimated; the time of the upload is unknown during encoding.
 */
export function createEncodingProgressReporter(
  steps: readonly Step[],
  weight: number,
  thumbnails = 0,
  { checkWeight = 0, doneWeight = 0 } = {},
): EncodingProgressReporter {
  let current: Step | undefined;
  let estimate = startRateEstimate();
  // In proportion to the time of the whole encode, of which the rest is known.
  const checkSeconds = (remainingSeconds: number, percent: number) =>
    percent >= 100 ? 0 : (remainingSeconds / (1 - percent / 100)) * (checkWeight / weight);
  return (step, progress, atMs) => {
    if (step !== current) {
      estimate = startRateEstimate(current === undefined ? null : expectedRate(estimate.rate, current, step));
      current = step;
    }
    const encoded = encodedSeconds(step, progress);
    estimate = updateRateEstimate(estimate, atMs, encoded);
    const percent = completedFraction(steps, step, progress) * 100;
    const remainingSeconds = estimateRemainingSeconds(steps, step, encoded, estimate.rate, thumbnails);
    return {
      event: 'transcoding',
      percent,
      overallPercent: doneWeight * 100 + percent * weight,
      ...(progress.fps === null ? {} : { fps: progress.fps }),
      ...(progress.speed === null ? {} : { speed: progress.speed }),
      ...(remainingSeconds === null
        ? {}
        : { eta_in_ms: Math.round((remainingSeconds + checkSeconds(remainingSeconds, percent)) * 1000) }),
    };
  };
}

/**
 * Seconds that the encoder has output: its input without the frames that it buffers. A report within a frame of the end
 * is the last one, because ffmpeg reports nothing while the buffered frames are encoded.
 */
function encodedSeconds(step: Step, { seconds, frame }: EncodeProgress): number {
  const { encoderDelayFrames: heldFrames, durationSeconds } = step;
  if (heldFrames === 0 || frame === null) return seconds;
  if (frame <= heldFrames) return 0;
  const frameSeconds = seconds / frame;
  const isAtEnd = durationSeconds !== null && seconds > durationSeconds - frameSeconds;
  return isAtEnd ? seconds : seconds - heldFrames * frameSeconds;
}

/** Completed part of the steps, 0-1. */
function completedFraction(steps: readonly Step[], step: Step, { seconds }: EncodeProgress): number {
  const before = steps
    .slice(0, steps.indexOf(step))
    .reduce((sum, { progressWeight: weight }) => sum + weight, 0);
  const total = step.durationSeconds;
  const stepFraction = total === null || total <= 0 ? 0 : Math.min(1, seconds / total);
  return Math.min(1, before + step.progressWeight * stepFraction);
}

/** The expected rate of a step after one with this rate: the times are proportional to the weights. */
function expectedRate(rate: number | null, before: Step, step: Step): number | null {
  const lengths = (step.durationSeconds ?? 0) / (before.durationSeconds ?? 0);
  const expected = ((rate ?? 0) * before.progressWeight * lengths) / step.progressWeight;
  return Number.isFinite(expected) && expected > 0 ? expected : null;
}

/**
 * Seconds decoded to find a thumbnail (half of a common keyframe interval), and the cost of decoding relative to
 * encoding.
 */
const seekDecodeSeconds = 5;
const decodeCostRatio = 0.1;

/**
 * The rest of this step at its current rate, and the later steps in proportion to their weights. Thumbnails are decoded
 * from the finished file, at most all of it once.
 */
function estimateRemainingSeconds(
  steps: readonly Step[],
  step: Step,
  seconds: number,
  rate: number | null,
  thumbnails: number,
): number | null {
  const total = step.durationSeconds;
  if (total === null || rate === null || rate <= 0) return null;
  const later = steps
    .slice(steps.indexOf(step) + 1)
    .reduce((sum, { progressWeight: weight }) => sum + weight, 0);
  const decoded = Math.min(total, thumbnails * seekDecodeSeconds) * decodeCostRatio;
  return Math.max(0, total - seconds) / rate + (total * later + decoded) / rate / step.progressWeight;
}

/** The progress rate of a run of ffmpeg. */
interface RateEstimate {
  /** Time of the last report, in milliseconds of any clock, and the position then; null before the first report. */
  readonly last: { readonly atMs: number; readonly seconds: number } | null;
  /** Time of the first report. */
  readonly sinceMs: number;
  /** Seconds of media per second, smoothed; null while unknown. */
  readonly rate: number | null;
}

/** The estimate at the start of a run; `rate` is the expected rate, if known. */
export function startRateEstimate(rate: number | null = null): RateEstimate {
  return { last: null, sinceMs: 0, rate };
}

/** Minimum time constant of the smoothing. */
const minSmoothingSeconds = 2;
/** The time constant as a part of the elapsed time: the longer a run lasts, the less one report counts. */
const smoothingShare = 1 / 2;

/**
 * The estimate after a report. It uses the progress between two reports, not since the start: an encoder buffers
 * seconds of video before it outputs the first frame, and the speed at the start does not predict the later speed.
 * Older reports count less. Pure.
 */
export function updateRateEstimate(estimate: RateEstimate, atMs: number, seconds: number): RateEstimate {
  if (seconds <= 0) return estimate;
  const { last, rate } = estimate;
  if (last === null) return { ...estimate, last: { atMs, seconds }, sinceMs: atMs };
  const elapsedSeconds = (atMs - last.atMs) / 1000;
  if (elapsedSeconds <= 0) return estimate;
  const currentRate = Math.max(0, seconds - last.seconds) / elapsedSeconds;
  const smoothingSeconds = Math.max(minSmoothingSeconds, ((atMs - estimate.sinceMs) / 1000) * smoothingShare);
  const weight = rate === null ? 1 : 1 - Math.exp(-elapsedSeconds / smoothingSeconds);
  return { ...estimate, last: { atMs, seconds }, rate: (rate ?? 0) + weight * (currentRate - (rate ?? 0)) };
}
