import { type MediaFacts, orientationOf, type VideoFacts } from '../../jobs/media.js';
import { canToneMap, decideColours } from '../decide/colours.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument, inputOptions } from '../safe-input.js';
import { deinterlaceFilter } from '../write/filters.js';
import { orientationFilters, scaleFlags, toneMapFilters } from '../write/frame-filters.js';
import { decoderArgs } from '../write/input.js';
import { metricSideOf, metricSize } from './metric-graph.js';
import type { FrameRun } from './quality-types.js';

/** How the frames of a file are changed before they are compared. */
interface FrameChanges {
  readonly deinterlaces: boolean;
  readonly toneMaps: boolean;
}

const asDecoded: FrameChanges = { deinterlaces: false, toneMaps: false };

/**
 * The pixel formats that the runs write. Those of JPEG have full range: ffmpeg would convert them to limited range if
 * they were missing.
 */
const rawFormats = ['420p', '422p', '444p'].flatMap((layout) => [
  ...[`yuv${layout}`, `yuvj${layout}`, `yuv${layout}10le`, `yuv${layout}12le`],
]);

/** The arguments that write frames without compression. */
export const rawArgs = ['-an', '-sn', '-dn', '-c:v', 'rawvideo', '-f', 'nut'] as const;

/** Film grain that a decoder adds is not in the frames that were encoded. Builds of 2018 add none. */
export function withoutGrain({ hasFpsMode }: Capabilities): readonly string[] {
  return hasFpsMode ? ['-export_side_data', 'film_grain'] : [];
}

/** The frames of a file. */
export interface FileFrames extends FrameRun {
  /** The file as an input of ffmpeg, with its options. */
  readonly input: readonly string[];
  readonly streamIndex: number;
  readonly filters: readonly string[];
}

/** The frames of a file as they are displayed, at their own times. */
export function framesOfFile(
  path: string,
  { analysis }: Pick<MediaFacts, 'analysis'>,
  video: VideoFacts,
  capabilities: Capabilities,
  { deinterlaces, toneMaps }: FrameChanges = asDecoded,
): FileFrames {
  const { streamIndex } = video;
  const isMapped = toneMaps && canToneMap(capabilities);
  const filters = [
    ...(deinterlaces ? [deinterlaceFilter({ isFramePerField: false }, 'as-flagged', capabilities)] : []),
    ...orientationFilters(orientationOf(video)),
    ...(isMapped ? toneMapFilters({ ...decideColours(video, 'h264', capabilities), scaleTo: null }) : []),
    `format=${rawFormats.join('|')}`,
  ];
  const input = [
    ...[...inputOptions(analysis), ...decoderArgs(video.codec), ...withoutGrain(capabilities)],
    ...['-noautorotate', '-i', fileArgument(path)],
  ];
  const side = metricSideOf(video);
  return {
    ...{ input, streamIndex, filters },
    args: [
      ...['-y', ...input, '-map', `0:${streamIndex}`, '-vf', filters.join(',')],
      // With the frame rate as the clock, uneven frames would have equal times.
      ...[capabilities.hasFpsMode ? '-fps_mode' : '-vsync', 'passthrough', '-enc_time_base:v', '1:90000'],
      ...rawArgs,
    ],
    side: isMapped ? { ...side, matrix: 'bt709', isFullRange: false } : side,
  };
}

/** The number of frames of a video of some seconds, about: Matroska does not store it. Null if nothing is known of it. */
export function frameCountOf({ frameCount, frameRate }: VideoFacts, seconds: number | null): number | null {
  if (frameCount !== undefined) return frameCount;
  return frameRate === null || seconds === null
    ? null
    : (seconds * frameRate.numerator) / frameRate.denominator;
}

/** The arguments of the run that writes one frame of two files side by side to a PNG file. */
export function framePairArgs(
  sides: readonly [FileFrames, FileFrames],
  frame: number,
  path: string,
): readonly string[] {
  const size = metricSize(sides[0].side.size);
  const chains = sides.map(({ streamIndex, filters, side }, index) =>
    [
      `[${index}:${streamIndex}]select=eq(n\\,${frame})`,
      ...filters,
      `scale=${size.width}:${size.height}:in_range=${side.isFullRange ? 'pc' : 'tv'}:in_color_matrix=${side.matrix}:${scaleFlags}`,
      `format=rgb24[side${index}]`,
    ].join(','),
  );
  return [
    ...['-y', ...sides.flatMap(({ input }) => input)],
    ...['-filter_complex', [...chains, '[side0][side1]hstack[pair]'].join(';'), '-map', '[pair]'],
    ...['-frames:v', '1', '-f', 'image2', '-update', '1', fileArgument(path)],
  ];
}
