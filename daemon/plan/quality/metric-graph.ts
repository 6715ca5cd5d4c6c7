import { orientationOf, swapsSides, type VideoFacts } from '../../jobs/media.js';
import { coloursOfOutput } from '../decide/colours.js';
import type { PixelSize } from '../decide/decisions.js';
import type { FrameRange } from './choose-samples.js';
import type { MetricSide, QualityMetric } from './quality-types.js';

/** What is compared, and how. */
export interface MetricOptions {
  readonly metric: QualityMetric;
  readonly output: MetricSide;
  readonly reference: MetricSide;
  /** One of so many frames is measured. */
  readonly subsample: number;
  readonly threads: number;
  /** The frames that are measured; all if absent. */
  readonly frames?: readonly FrameRange[];
}

/** The names of the files that a measurement writes into its working folder. */
export const metricFiles = {
  /** The scores of the measured frames, as XML. */
  scores: 'quality-scores.xml',
  /** The mean luma and the time of each frame, for both sides. */
  outputLuma: 'quality-output-luma.txt',
  referenceLuma: 'quality-reference-luma.txt',
  /** More statistics of the luma of some frames. */
  outputSpread: 'quality-output-spread.txt',
  referenceSpread: 'quality-reference-spread.txt',
} as const;

/** With more lines than this, the model for 4K is used. */
const maxHdLines = 1440;
/** The sizes that the models were made for, as the longer and the shorter side. */
const metricSizes = { hd: [1920, 1080], uhd: [3840, 2160] } as const;
/** Of so many frames, one shows how far the luma is spread. */
const framesPerSpread = 24;

/** The side of a file, from what was found in it. */
export function metricSideOf(video: VideoFacts): MetricSide {
  const { from, isFullRange } = coloursOfOutput(video);
  const { numerator, denominator } = video.sampleAspectRatio;
  const width = Math.round((video.width * numerator) / denominator);
  const size = { width, height: video.height };
  return {
    size: swapsSides(orientationOf(video)) ? { width: size.height, height: size.width } : size,
    matrix: from === 'rgb' ? 'bt709' : from,
    isFullRange,
    isDeep: isDeepFormat(video.pixelFormat),
  };
}

/** Whether the samples of a pixel format have more than 8 bits. */
export function isDeepFormat(pixelFormat: string | null): boolean {
  return /(?:p|gray)(?:9|1[0-6])(?:[lb]e)?$|^p01[026]/.test(pixelFormat ?? '');
}

/** The name of the model that VMAF uses for an output of this size. */
export function modelFor(metric: QualityMetric, size: PixelSize): string {
  return `vmaf_${isUhd(size) ? '4k_' : ''}v0.6.1${metric === 'vmaf-neg' ? 'neg' : ''}`;
}

function isUhd({ width, height }: PixelSize): boolean {
  return Math.min(width, height) > maxHdLines;
}

/** The size at which an output is measured: as large as fits the size that the model was made for. Sides are even. */
export function metricSize({ width, height }: PixelSize): PixelSize {
  const [long, short] = isUhd({ width, height }) ? metricSizes.uhd : metricSizes.hd;
  const [maxWidth, maxHeight] = width < height ? [short, long] : [long, short];
  const factor = Math.min(maxWidth / width, maxHeight / height);
  const even = (side: number) => Math.max(2, Math.round((side * factor) / 2) * 2);
  return { width: even(width), height: even(height) };
}

/**
 * One of how many frames is measured. Odd, because with even steps only the better frames between B-frames count. A film
 * with few frames for its duration is taken as one of usual rate: a third of the frames of one with 4 frames per second
 * was off by half a point.
 */
export function subsampleFor(seconds: number | null, frameCount: number | null = null): number {
  const usual = Math.min(seconds ?? Number.POSITIVE_INFINITY, (frameCount ?? Number.POSITIVE_INFINITY) / 25);
  if (usual >= longSeconds) return 5;
  return usual < 60 ? 1 : 3;
}

/**
 * One of how many frames is measured in the samples of a film of some seconds. Long films have many samples, and are
 * searched twice as fast with a third of their frames.
 */
export function sampleSubsampleFor(seconds: number): number {
  return seconds >= longSeconds ? 3 : 1;
}

/** From here on a film is long. */
const longSeconds = 600;

/**
 * The filter graph that measures. `sources` are the labels of the output and of the reference, without brackets. Frames
 * are paired by their numbers, never by their times: by time, the same file in Matroska, whose times are rounded to
 * milliseconds, scored 78.6 instead of 96.1. The last label is `[measured]`.
 */
export function metricGraph(options: MetricOptions, sources: readonly [string, string]): string {
  const { output, reference, subsample, threads } = options;
  const size = metricSize(output.size);
  const pixelFormat = output.isDeep && reference.isDeep ? 'yuv420p10le' : 'yuv420p';
  const ranges = options.frames?.map(({ first, last }) => `between(n\\,${first}\\,${last})`);
  const selection = ranges === undefined ? '' : `select=${ranges.join('+')},`;
  const side = (own: MetricSide, source: string, label: string, luma: string, spread: string) => [
    `[${source}]${scaleTo(size, own, output.matrix)},format=${pixelFormat},split[${label}1][${label}2]`,
    // The mean of 16x16 averages is that of all pixels, and costs nothing. nullsink is the end of this branch.
    `[${label}2]scale=16:16:flags=area,format=yuv420p,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=${luma},` +
      `select=not(mod(n\\,${framesPerSpread})),metadata=print:file=${spread},nullsink`,
    // All frames are counted, and so those of both sides are the same ones.
    // Without settb, the numbers of two sides with different time bases are different times.
    `[${label}1]${selection}settb=AVTB,setpts=N[${label}]`,
  ];
  const model = modelFor(options.metric, output.size);
  return [
    ...side(output, sources[0], 'out', metricFiles.outputLuma, metricFiles.outputSpread),
    ...side(reference, sources[1], 'ref', metricFiles.referenceLuma, metricFiles.referenceSpread),
    `[out][ref]libvmaf=model=version=${model}:feature=name=psnr:log_fmt=xml:log_path=${metricFiles.scores}:` +
      `n_threads=${threads}:n_subsample=${subsample}[measured]`,
  ].join(';');
}

/** Another scaler moves the score by up to one point. */
const metricScaler = 'flags=bicubic+accurate_rnd';

function scaleTo({ width, height }: PixelSize, side: MetricSide, matrix: string): string {
  const matrices = side.matrix === matrix ? '' : `:in_color_matrix=${side.matrix}:out_color_matrix=${matrix}`;
  const range = `in_range=${side.isFullRange ? 'pc' : 'tv'}:out_range=tv`;
  return `scale=${width}:${height}:${metricScaler}:${range}${matrices}`;
}
