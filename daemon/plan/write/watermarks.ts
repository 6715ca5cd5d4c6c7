import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { Overlay } from '../decide/decisions.js';
import { fileArgument } from '../safe-input.js';
import { orientationFilters } from './frame-filters.js';

/** The watermark images as inputs, each with its detected demuxer. */
export function watermarkInputArgs(overlays: readonly Overlay[]): readonly string[] {
  return overlays.flatMap(({ image }) => [
    ...['-protocol_whitelist', 'file,pipe', '-max_pixels', String(maxPixels)],
    ...['-noautorotate', '-f', image.demuxer, '-i', fileArgument(image.path)],
  ]);
}

/**
 * The part of a graph that overlays watermarks on a video, later ones on top. `from` and `to` are labels with brackets,
 * `firstInput` is the index of the first watermark input. Only the first frame of an image is used (animations do not
 * play), and it stays until the end. `prefix` makes the labels of several videos in one graph unique.
 */
export function watermarkGraph(
  overlays: readonly Overlay[],
  from: string,
  to: string,
  firstInput: number,
  prefix = '',
): readonly string[] {
  return overlays.flatMap((overlay, index) => {
    const base = index === 0 ? from : `[under${prefix}${index}]`;
    const result = index === overlays.length - 1 ? to : `[under${prefix}${index + 1}]`;
    const x = overlay.x - parity(overlay.x);
    const y = overlay.y - parity(overlay.y);
    return [
      `[${firstInput + index}:v]${overlayFilters(overlay).join(',')}[mark${prefix}${index}]`,
      // With "auto" it converts everything to yuv444p, which most players do not support.
      `${base}[mark${prefix}${index}]overlay=x=${x}:y=${y}:format=yuv420${result}`,
    ];
  });
}

function overlayFilters({ image, scaleTo, x, y, matrix, opacity }: Overlay): readonly string[] {
  return [
    'trim=end_frame=1',
    'format=gbrap',
    ...orientationFilters(image.orientation ?? 1),
    ...(scaleTo === null ? [] : scaling(scaleTo.width, scaleTo.height)),
    ...shiftFilters(parity(x), parity(y)),
    // Builds of 2018 have this filter only for packed formats.
    ...(opacity === 1 ? [] : ['format=rgba', `colorchannelmixer=aa=${opacity}`]),
    // By default ffmpeg would use BT.601, which shifts all other colours by up to 20 of 255 steps.
    `scale=out_color_matrix=${matrix}:out_range=tv:flags=${accurateFlags}`,
    'format=yuva420p',
  ];
}

/**
 * Builds of 2018 scale bilinearly by default, and all builds spread chroma over two pixels. For one frame, accuracy
 * costs nothing.
 */
export const accurateFlags = 'bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** Weights colours by their opacity: transparent pixels, mostly black, would darken the edges. */
function scaling(width: number, height: number): readonly string[] {
  return [
    'premultiply=inplace=1',
    `scale=${width}:${height}:flags=${accurateFlags}`,
    'unpremultiply=inplace=1',
  ];
}

const parity = (offset: number) => Math.abs(offset % 2);

/** The filter overlay supports only even positions. For an odd one, a transparent line is inserted before the image. */
function shiftFilters(right: number, down: number): readonly string[] {
  return right + down === 0 ? [] : [`pad=iw+${right}:ih+${down}:${right}:${down}:black@0`];
}
