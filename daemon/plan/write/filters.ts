import { finalMatrix } from '../decide/colours.js';
import type { FieldOrderDecision, Fit, VideoDecision } from '../decide/decisions.js';
import type { Capabilities } from '../plan-types.js';
import { burnFilters, burnGraph, burnsImages } from './captions.js';
import {
  blackBackgroundFilters,
  orientationFilters,
  scaleFilters,
  scaleFlags,
  toneMapFilters,
} from './frame-filters.js';
import { secondsArgument } from './input.js';
import { shapeFilters } from './shapes.js';
import { timingFilters } from './timing.js';
import { effectFilters, pixelRatioFilters, sharpenFilters } from './video-effects.js';
import { watermarkGraph } from './watermarks.js';

/** Label of the filtered video in the graph, for `-map`. */
export const videoLabel = '[v]';

/**
 * The filter graph of a video, for `-filter_complex` (contract, section 11: order of the steps). `firstWatermark` is
 * the index of the first watermark input. `skip` is the part of the input before the clip.
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
    ...sharpenFilters(video),
    ...fitFilters(video.fit),
    ...postScaleFilters(video, capabilities),
    ...pixelRatioFilters(video),
    ...burnFilters(video),
  ];
  const hasWatermarks = video.watermarks.length > 0;
  const isDrawnOn = hasWatermarks || burnsImages(video);
  const last = finalFilters(video);
  const marked = isDrawnOn && last.length > 0 ? '[marked]' : videoLabel;
  const finished = hasWatermarks ? '[plain]' : marked;
  const undrawn = burnsImages(video) ? '[undrawn]' : finished;
  return [
    `${source}${[...filters, ...(isDrawnOn ? [] : last)].join(',')}${undrawn}`,
    ...burnGraph(video, undrawn, finished),
    ...watermarkGraph(video.watermarks, finished, marked, firstWatermark),
    ...(isDrawnOn && last.length > 0 ? [`${marked}${last.join(',')}${videoLabel}`] : []),
    ...(!needsSecondInput(video) ? [] : [dropHeaderData(source)]),
  ].join(';');
}

/**
 * The part of the input that is read before the clip: where it starts, its duration, and whether its last frame is
 * displayed at the start of the clip.
 */
export interface Skip {
  readonly readFromSeconds: number;
  readonly seconds: number;
  readonly startsInFrame: boolean;
}

/** The filters before scaling. */
export function preScaleFilters(
  video: VideoDecision,
  capabilities: Capabilities,
  skip: Skip,
): readonly string[] {
  return [
    ...shapeFilters(video, skip.readFromSeconds),
    ...(skip.startsInFrame ? [`setpts=max(PTS\\,ceil(${secondsArgument(skip.seconds)}/TB))`] : []),
    ...blackBackgroundFilters(video),
    ...(video.deinterlace === null ? [] : [deinterlaceFilter(video, video.deinterlace, capabilities)]),
    ...effectFilters(video),
    ...orientationFilters(video.orientation),
    ...timingFilters(video.timing, skip.seconds),
  ];
}

/** Crops the scaled video or adds bars. */
export function fitFilters({ canvas, by }: Fit): readonly string[] {
  const size = `${canvas.width}:${canvas.height}`;
  switch (by) {
    case 'nothing':
      return [];
    case 'crop-edge':
      return [`crop=${size}:0:0`];
    case 'crop-centre':
      return [`crop=${size}`];
    case 'bars':
      return [`pad=${size}:(ow-iw)/2:(oh-ih)/2`];
  }
}

/** What encoders of ffmpeg 7.0 and newer write if a frame has it. */
const hdrSideData = ['MASTERING_DISPLAY_METADATA', 'CONTENT_LIGHT_LEVEL', 'DYNAMIC_HDR_PLUS'] as const;

/** The format of an output video, without the HDR metadata of the input, which tone mapping needs before. */
export function postScaleFilters(
  { codecOptions, dropsHdrData }: Pick<VideoDecision, 'codecOptions' | 'dropsHdrData'>,
  { hasFpsMode }: Pick<Capabilities, 'hasFpsMode'>,
): readonly string[] {
  return [
    'setsar=1',
    `format=${codecOptions.pixelFormat}`,
    // Older builds do not know these names.
    ...(dropsHdrData && hasFpsMode ? hdrSideData.map((type) => `sidedata=mode=delete:type=${type}`) : []),
  ];
}

/**
 * The filters that follow watermarks and drawn images, which have 8 bits and limited range: the pixel format again, and
 * the conversion to full range.
 */
function finalFilters(video: VideoDecision): readonly string[] {
  const { watermarks, codecOptions, signalling } = video;
  const format = `format=${codecOptions.pixelFormat}`;
  const isDrawnOn = watermarks.length > 0 || burnsImages(video);
  if (!signalling.isFullRange) return isDrawnOn && format !== 'format=yuv420p' ? [format] : [];
  const matrix = finalMatrix(video);
  const ranges = `in_range=tv:out_range=pc:in_color_matrix=${matrix}:out_color_matrix=${matrix}`;
  return [`scale=${ranges}:${scaleFlags}`, format];
}

/** Whether ffmpeg would copy something from the header of the input that is not true of the output. */
export function needsSecondInput({ hasDisplayMatrix, dropsHdrData }: VideoDecision): boolean {
  return hasDisplayMatrix || dropsHdrData === true;
}

/**
 * Makes ffmpeg drop the display matrix and the HDR metadata in the header of the input. ffmpeg copies them to the
 * output even if the filters have rotated the video or changed its range, but only if the graph has a single input, so
 * this adds a second one that is discarded; it costs one frame reference per frame. Without effect in 4.1 and 5.1: the stream tag `rotate`, `-map_metadata -1`, the filter sidedata.
 * The automatic rotation of ffmpeg removes the matrix, but rotates before deinterlacing.
 */
export function dropHeaderData(source: string): string {
  return `${source}nullsink`;
}

/**
 * Outputs one frame per frame, or per field. All frames are deinterlaced, because interlaced files often do not flag
 * every frame.
 */
export function deinterlaceFilter(
  { isFramePerField }: Pick<VideoDecision, 'isFramePerField'>,
  fields: FieldOrderDecision,
  capabilities: Capabilities,
): string {
  const mode = isFramePerField ? 'send_field' : 'send_frame';
  const name = capabilities.filters.has('bwdif') ? 'bwdif' : 'yadif';
  return `${name}=mode=${mode}:parity=${parities[fields]}:deint=all`;
}

const parities = {
  'top-first': 'tff',
  'bottom-first': 'bff',
  'as-flagged': 'auto',
} as const satisfies Record<FieldOrderDecision, string>;
