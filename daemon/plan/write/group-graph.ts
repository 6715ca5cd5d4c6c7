import { finalMatrix } from '../decide/colours.js';
import type { PixelSize, VideoDecision } from '../decide/decisions.js';
import { planRenditions, type Rendition } from '../decide/group-decisions.js';
import type { Capabilities } from '../plan-types.js';
import { burnFilters, burnGraph, burnsImages } from './captions.js';
import {
  dropHeaderData,
  fitFilters,
  needsSecondInput,
  postScaleFilters,
  preScaleFilters,
  type Skip,
} from './filters.js';
import { converted, scaleFilters, toneMapFilters } from './frame-filters.js';
import { pixelRatioFilters, sharpenFilters } from './video-effects.js';
import { watermarkGraph } from './watermarks.js';

/** Label of one of several filtered videos in a graph, for `-map`. */
export const groupLabel = (index: number): string => `[v${index}]`;

/**
 * The filter graph of several videos of one input. They share all filters before scaling. Each rendition is then split
 * off, scaled, framed and watermarked. The colours are converted before a rendition is split, because ffmpeg picks
 * other ones for a second scaling. `source` is the size of the input after rotation, `firstInput` the index of the
 * first watermark input.
 */
export function groupGraph(
  videos: readonly [VideoDecision, ...VideoDecision[]],
  source: PixelSize,
  capabilities: Capabilities,
  skip: Skip,
  firstInput: number,
): string {
  const [first] = videos;
  const input = `[0:${first.streamIndex}]`;
  const renditions = planRenditions(videos, source);
  const roots = renditions.flatMap(({ from }, index) => (from === null ? [toRendition(index)] : []));
  return [
    chain([input], [...preScaleFilters(first, capabilities, skip), ...split(roots)], roots),
    ...renditions.map((rendition, index) =>
      renditionChain(rendition, index, renditions, first, capabilities),
    ),
    ...videos.flatMap((video, index) =>
      videoChains(video, index, firstInput + watermarksBefore(videos, index), first),
    ),
    ...(videos.some(needsSecondInput) ? [dropHeaderData(input)] : []),
  ].join(';');
}

const toRendition = (index: number) => `[r${index}]`;
const toVideo = (index: number) => `[p${index}]`;

function renditionChain(
  { scaleTo, from, videos }: Rendition,
  index: number,
  all: readonly Rendition[],
  first: VideoDecision,
  capabilities: Capabilities,
): string {
  const { toneMapFrom, conversion, colours, staysInterlaced } = first;
  const smaller = all.flatMap(({ from }, other) => (from === index ? [toRendition(other)] : []));
  const ends = [...videos.map(toVideo), ...smaller];
  // A rendition scaled from another one has the colours of that one.
  const sourceConversion = from === null ? conversion : converted(conversion);
  const scaled = { scaleTo, staysInterlaced, conversion: sourceConversion };
  const mapping = from === null ? toneMapFilters({ toneMapFrom, conversion, colours, scaleTo }) : [];
  return chain(
    [toRendition(index)],
    [...scaleFilters(scaled), ...mapping, ...postScaleFilters(first, capabilities), ...split(ends)],
    ends,
  );
}

function videoChains(
  video: VideoDecision,
  index: number,
  firstInput: number,
  first: VideoDecision,
): readonly string[] {
  const { fit, watermarks } = video;
  const drawn = watermarks.length === 0 ? groupLabel(index) : `[plain${index}]`;
  const framed = burnsImages(video) ? `[undrawn${index}]` : drawn;
  const frame = [
    ...toOwnMatrix(video, first),
    ...sharpenFilters(video),
    ...fitFilters(fit),
    ...pixelRatioFilters(video),
    ...burnFilters(video),
  ];
  return [
    chain([toVideo(index)], frame.length === 0 ? ['null'] : frame, [framed]),
    ...burnGraph(video, framed, drawn, `${index}`),
    ...watermarkGraph(watermarks, drawn, groupLabel(index), firstInput, `${index}_`),
  ];
}

/** The renditions have the matrix of the first video, which the codec of another video may be unable to signal. */
function toOwnMatrix(video: VideoDecision, first: VideoDecision): readonly string[] {
  const matrices = { from: finalMatrix(first), to: finalMatrix(video) };
  if (matrices.from === matrices.to) return [];
  const conversion = { ...matrices, isFullRange: false, hasAlpha: false };
  const { pixelFormat } = video.codecOptions;
  return [...scaleFilters({ scaleTo: null, conversion, staysInterlaced: false }), `format=${pixelFormat}`];
}

/** The number of watermarks of the videos before one. */
function watermarksBefore(videos: readonly VideoDecision[], index: number): number {
  return videos.slice(0, index).reduce((sum, { watermarks }) => sum + watermarks.length, 0);
}

function split(ends: readonly string[]): readonly string[] {
  return ends.length === 1 ? [] : [`split=${ends.length}`];
}

function chain(from: readonly string[], filters: readonly string[], to: readonly string[]): string {
  return `${from.join('')}${filters.length === 0 ? 'null' : filters.join(',')}${to.join('')}`;
}
