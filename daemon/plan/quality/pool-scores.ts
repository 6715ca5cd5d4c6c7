import type { QualityMeasurement } from '../../../src/shared/records.js';
import { roundToHundredths } from '../../../src/shared/text/numbers.js';
import type { VideoFacts } from '../../jobs/media.js';

/** The score of one measured frame. */
export interface FrameScore {
  /** Counted from 0. */
  readonly frame: number;
  readonly vmaf: number;
  /** In dB. */
  readonly psnrY: number;
}

/** What was found in all frames of one side. Luma has 8 bits and limited range. */
export interface SideStatistics {
  /** The time of each frame, in seconds from the first. */
  readonly times: readonly number[];
  readonly meanLuma: number;
  /** The mean distance from dark to bright pixels of a frame: from their 10th to their 90th percentile. */
  readonly spread: number;
}

/** What a measurement of the frames found. */
export interface MeasuredFrames {
  readonly model: string;
  /** The version of libvmaf. */
  readonly version: string;
  readonly subsample: number;
  /** The time that the measurement took, in seconds. */
  readonly spentSeconds: number;
  /** In the order of the frames; at least one. */
  readonly scores: readonly FrameScore[];
  readonly output: SideStatistics;
  readonly reference: SideStatistics;
}

/** Times are roundToHundredths to a millisecond, which must not move a frame into the second before. */
const roundingSeconds = 0.0005;

/** The score of a second. */
export interface SecondScore {
  /** When it begins, in seconds from the start. */
  readonly time: number;
  readonly score: number;
}

/** The facts of both files that the record has. */
interface ComparedVideos {
  readonly output: VideoFacts;
  /** What the reference declares, or would if it were a file. */
  readonly reference: Pick<VideoFacts, 'colourSpace' | 'colourRange'>;
}

/** The record of a measurement. */
export function poolScores(
  measured: MeasuredFrames,
  { metric, reference }: Pick<QualityMeasurement, 'metric' | 'reference'>,
  videos: ComparedVideos,
): QualityMeasurement {
  const { scores, output, model, version, subsample } = measured;
  const values = scores.map(({ vmaf }) => vmaf);
  const seconds = scoresBySecond(measured);
  const worst = seconds.reduce((lowest, one) => (one.score < lowest.score ? one : lowest));
  return {
    ...{ metric, model, version, reference },
    mean: roundToHundredths(meanOf(values)),
    // As libvmaf computes it: a score may be 0.
    harmonic_mean: roundToHundredths(values.length / sumOf(values.map((value) => 1 / (value + 1))) - 1),
    percentile_5: roundToHundredths(percentileOf(values, 0.05)),
    worst_second: { time: worst.time, score: roundToHundredths(worst.score) },
    frames: output.times.length,
    subsample,
    seconds: roundToHundredths(measured.spentSeconds),
    psnr_y: roundToHundredths(meanOf(scores.map(({ psnrY }) => psnrY))),
    luma: {
      output: roundToHundredths(output.meanLuma),
      reference: roundToHundredths(measured.reference.meanLuma),
    },
    matrix: {
      output: videos.output.colourSpace ?? null,
      reference: videos.reference.colourSpace ?? null,
    },
    range: { output: videos.output.colourRange ?? null, reference: videos.reference.colourRange ?? null },
    scores: timeline(seconds).map(roundToHundredths),
  };
}

/** The mean score of the measured frames of each second; seconds without any are left out. */
export function scoresBySecond({ scores, output: { times } }: MeasuredFrames): readonly SecondScore[] {
  const bySecond = new Map<number, number[]>();
  for (const { frame, vmaf } of scores) {
    const second = Math.floor((times[frame] ?? 0) + roundingSeconds);
    const group = bySecond.get(second);
    if (group === undefined) bySecond.set(second, [vmaf]);
    else group.push(vmaf);
  }
  return [...bySecond].map(([time, group]) => ({ time, score: meanOf(group) }));
}

/** The mean score of the frames from a time on, and that of the worst second of them. */
export function scoresFrom(measured: MeasuredFrames, fromSeconds: number): { mean: number; worst: number } {
  const { times } = measured.output;
  const isMeasured = (frame: number) => (times[frame] ?? 0) + roundingSeconds >= fromSeconds;
  const found = measured.scores.filter(({ frame }) => isMeasured(frame));
  const scores = found.length === 0 ? measured.scores : found;
  return {
    mean: meanOf(scores.map(({ vmaf }) => vmaf)),
    worst: Math.min(...scoresBySecond({ ...measured, scores }).map(({ score }) => score)),
  };
}

/** The frame with the lowest score in a second. */
export function worstFrameIn({ scores, output: { times } }: MeasuredFrames, second: number): FrameScore {
  const inSecond = scores.filter(({ frame }) => Math.floor((times[frame] ?? 0) + roundingSeconds) === second);
  return inSecond.reduce((lowest, one) => (one.vmaf < lowest.vmaf ? one : lowest));
}

const maxParts = 60;

function timeline(seconds: readonly SecondScore[]): readonly number[] {
  const parts = Math.min(maxParts, seconds.length);
  return Array.from({ length: parts }, (_, index) => {
    const from = Math.floor((index * seconds.length) / parts);
    const to = Math.floor(((index + 1) * seconds.length) / parts);
    return meanOf(seconds.slice(from, to).map(({ score }) => score));
  });
}

/** The warning about HDR that is measured as it is. */
export const keptHdrWarning =
  'The quality of HDR was measured with a model that was made for standard range.';

/** How much full range is wider than limited range. */
const rangeFactor = 255 / 219;
const black = 16;
/** How far the spread may be off for that, as a share, and the mean luma. Below the last spread, nothing is certain. */
const rangeTolerance = { spread: 0.04, luma: 2, minSpread: 12 } as const;
/** A larger difference of the mean luma is visible. */
const maxLumaDifference = 3;

/**
 * What the score does not show, one sentence each: VMAF takes more contrast for quality, so that a wrong range scores
 * 100.
 */
export function qualityWarnings(record: QualityMeasurement, measured: MeasuredFrames): readonly string[] {
  const { matrix, range, luma } = record;
  const isMatrixKnown = matrix.output !== null && matrix.reference !== null;
  const means = `the mean luma is ${luma.output.toFixed(1)}, that of the reference ${luma.reference.toFixed(1)}`;
  const wrongRange = wrongRangeOf(measured);
  return [
    // Without a declaration it is limited.
    ...((range.output ?? 'limited') !== (range.reference ?? 'limited')
      ? [
          `The video declares ${range.output ?? 'no'} range, and its reference ${range.reference ?? 'no'} range.`,
        ]
      : []),
    ...(isMatrixKnown && matrix.output !== matrix.reference
      ? [`The video declares the matrix ${matrix.output}, and its reference ${matrix.reference}.`]
      : []),
    ...(wrongRange !== null
      ? [
          `The video has ${wrongRange} range that it does not declare: ${means}. The score does not show that.`,
        ]
      : Math.abs(luma.output - luma.reference) > maxLumaDifference
        ? [`The brightness of the video differs: ${means}.`]
        : []),
  ];
}

/** The range that the luma has although another one is declared; null if it has the declared one. */
function wrongRangeOf({ output, reference }: MeasuredFrames): 'full' | 'limited' | null {
  if (Math.min(output.spread, reference.spread) < rangeTolerance.minSpread) return null;
  const isOffBy = (factor: number) =>
    Math.abs(output.spread / reference.spread / factor - 1) < rangeTolerance.spread &&
    Math.abs(output.meanLuma - expectedLuma(reference.meanLuma, factor)) < rangeTolerance.luma;
  if (isOffBy(rangeFactor)) return 'full';
  return isOffBy(1 / rangeFactor) ? 'limited' : null;
}

/** Limited range starts at 16, full range at 0. */
function expectedLuma(luma: number, factor: number): number {
  return factor > 1 ? (luma - black) * factor : luma * factor + black;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/** The value that this share of the values does not exceed, interpolated. */
function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}
