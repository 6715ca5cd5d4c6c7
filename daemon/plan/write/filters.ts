import type { FieldOrderDecision, Fit, VideoDecision } from '../decide/decisions.js';
import type { Capabilities } from '../plan-types.js';
import { blackBackgroundFilters, orientationFilters, scaleFilters, toneMapFilters } from './frame-filters.js';
import { secondsArgument } from './input.js';
import { timingFilters } from './timing.js';
import { watermarkGraph } from './watermarks.js';

/** Name of the filtered picture in the graph, for `-map`. */
export const videoLabel = '[v]';

/**
 * The filter graph of a picture (contract, section 11: the order of the steps), for `-filter_complex`. `firstWatermark` is the number
 * of the first watermark's input. `skip` is what of the input stands before the clip.
 */
export function videoGraph(
  video: VideoDecision,
  capabilities: Capabilities,
  firstWatermark: number,
  skip: Skip,
): string {
  const source = `[0:${video.streamIndex}]`;
  const filters = [
    ...preScaleFilters(video, capabilities, skip),
    ...scaleFilters({ ...video, ...video.fit }),
    ...toneMapFilters({ ...video, ...video.fit }),
    ...fitFilters(video.fit),
    ...postScaleFilters,
  ];
  const isMarked = video.watermarks.length > 0;
  const finished = isMarked ? '[plain]' : videoLabel;
  return [
    `${source}${filters.join(',')}${finished}`,
    ...watermarkGraph(video.watermarks, finished, videoLabel, firstWatermark),
    ...(!video.hasDisplayMatrix ? [] : [withoutMatrix(source)]),
  ].join(';');
}

/** What stands before the clip in what is read: how much, and whether its last frame stays on screen into the clip. */
export interface Skip {
  readonly seconds: number;
  readonly startsInFrame: boolean;
}

/** What is done to the picture before it is brought to a size. */
export function preScaleFilters(
  video: VideoDecision,
  capabilities: Capabilities,
  skip: Skip,
): readonly string[] {
  return [
    ...(skip.startsInFrame ? [`setpts=max(PTS\\,ceil(${secondsArgument(skip.seconds)}/TB))`] : []),
    ...blackBackgroundFilters(video),
    ...(video.deinterlace === null ? [] : [deinterlaceFilters(video.deinterlace, capabilities)]),
    ...orientationFilters(video.orientation),
    ...timingFilters(video.timing, skip.seconds),
  ];
}

/** Trims the scaled picture, or adds bars to it. */
export function fitFilters({ canvas, by }: Fit): readonly string[] {
  const size = `${canvas.width}:${canvas.height}`;
  switch (by) {
    case 'nothing':
      return [];
    case 'trim-edge':
      return [`crop=${size}:0:0`];
    case 'trim-middle':
      return [`crop=${size}`];
    case 'bars':
      return [`pad=${size}:(ow-iw)/2:(oh-ih)/2`];
  }
}

/** What every picture comes out as. */
export const postScaleFilters = ['setsar=1', 'format=yuv420p'] as const;

/**
 * ffmpeg copies what the input says about turning into the output even when the picture is upright by then, but only where the
 * graph has a single input. A second one that leads nowhere costs a reference a frame. Tried and found without effect with 4.1
 * and 5.1: the stream tag `rotate`, `-map_metadata -1`, the filter sidedata. Leaving ffmpeg's own turning on takes the
 * matrix away, but turns before it deinterlaces.
 */
export function withoutMatrix(source: string): string {
  return `${source}nullsink`;
}

/** One frame for each frame; all of them, since a file that says it is interlaced often fails to flag each frame. */
function deinterlaceFilters(fields: FieldOrderDecision, capabilities: Capabilities): string {
  const name = capabilities.filters.has('bwdif') ? 'bwdif' : 'yadif';
  return `${name}=mode=send_frame:parity=${parities[fields]}:deint=all`;
}

const parities = {
  'top-first': 'tff',
  'bottom-first': 'bff',
  'as-flagged': 'auto',
} as const satisfies Record<FieldOrderDecision, string>;
