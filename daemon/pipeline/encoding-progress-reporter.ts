import type { EncodeProgress } from '../ffmpeg/ffmpeg-types.js';
import type { FileProgress } from '../jobs/progress.js';
import type { Step } from '../plan/plan-types.js';

/** Makes progress of an output out of a report of one of its steps. `atMs` is when that came, by a clock that only goes forward. */
export type EncodingProgressReporter = (step: Step, progress: EncodeProgress, atMs: number) => FileProgress;

/**
 * The meter of one output: `steps` are all that are run for it, in their order, and `share` is what encoding is of all the work for
 * it. A report of a step is to come after all those of the steps before. Promises a percent that never falls, and tells how long the
 * steps and the thumbnails after them still take, as soon as it can. What an upload takes cannot be known by the encoding.
 */
export function createEncodingProgressReporter(
  steps: readonly Step[],
  weight: number,
  thumbnails = 0,
): EncodingProgressReporter {
  let current: Step | undefined;
  let estimate = startRateEstimate();
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
      overallPercent: percent * weight,
      ...(progress.fps === null ? {} : { fps: progress.fps }),
      ...(progress.speed === null ? {} : { speed: progress.speed }),
      ...(remainingSeconds === null ? {} : { eta_in_ms: Math.round(remainingSeconds * 1000) }),
    };
  };
}

/**
 * Seconds that have come out of the encoder: those that went in, without the frames that it holds back. A report that is within a frame
 * of the end is the last one: while the frames held back are encoded, ffmpeg says nothing.
 */
function encodedSeconds(step: Step, { seconds, frame }: EncodeProgress): number {
  const { encoderDelayFrames: heldFrames, durationSeconds } = step;
  if (heldFrames === 0 || frame === null) return seconds;
  if (frame <= heldFrames) return 0;
  const frameSeconds = seconds / frame;
  const isAtEnd = durationSeconds !== null && seconds > durationSeconds - frameSeconds;
  return isAtEnd ? seconds : seconds - heldFrames * frameSeconds;
}

/** Share of the steps that is done, 0-1. */
function completedFraction(steps: readonly Step[], step: Step, { seconds }: EncodeProgress): number {
  const before = steps
    .slice(0, steps.indexOf(step))
    .reduce((sum, { progressWeight: weight }) => sum + weight, 0);
  const total = step.durationSeconds;
  const stepFraction = total === null || total <= 0 ? 0 : Math.min(1, seconds / total);
  return Math.min(1, before + step.progressWeight * stepFraction);
}

/** The rate to expect of a step after one that had this rate: their times are as their shares. */
function expectedRate(rate: number | null, before: Step, step: Step): number | null {
  const lengths = (step.durationSeconds ?? 0) / (before.durationSeconds ?? 0);
  const expected = ((rate ?? 0) * before.progressWeight * lengths) / step.progressWeight;
  return Number.isFinite(expected) && expected > 0 ? expected : null;
}

/** Seconds of film that are decoded to find a thumbnail, half of what usually lies between keyframes, and what decoding is of encoding. */
const seekDecodeSeconds = 5;
const decodeCostRatio = 0.1;

/**
 * What is left of this step at its present rate, and of the later ones as their shares are to this one's. Thumbnails are taken by
 * decoding the finished file where they are, at most all of it once.
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

/** How fast a run of ffmpeg gets on. */
export interface RateEstimate {
  /** When it was last heard of, in milliseconds of some clock, and where it was by then; null before its first word. */
  readonly last: { readonly atMs: number; readonly seconds: number } | null;
  /** When it was first heard of. */
  readonly sinceMs: number;
  /** Seconds of media in a second, smoothed; null while that is not known. */
  readonly rate: number | null;
}

/** The pace at the beginning of a run; `rate` is what may be expected of it. */
export function startRateEstimate(rate: number | null = null): RateEstimate {
  return { last: null, sinceMs: 0, rate };
}

/** Seconds that a change of pace takes at least to be believed. */
const minSmoothingSeconds = 2;
/** The same as a share of the run so far: the longer it lasts, the less a moment counts. */
const smoothingShare = 1 / 2;

/**
 * The pace after a report. Told by what was done between two reports and not since the start: an encoder looks seconds ahead before its
 * first frame comes out, and what is slow early need not be slow later. What lies further back weighs less. Pure.
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
