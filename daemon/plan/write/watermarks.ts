import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { Overlay } from '../decide/decisions.js';
import { fileArgument } from '../safe-input.js';
import { orientationFilters } from './frame-filters.js';

/** The pictures of watermarks as inputs of their own, each read as what it was found to be. */
export function watermarkInputArgs(overlays: readonly Overlay[]): readonly string[] {
  return overlays.flatMap(({ image }) => [
    ...['-protocol_whitelist', 'file,pipe', '-max_pixels', String(maxPixels)],
    ...['-noautorotate', '-f', image.demuxer, '-i', fileArgument(image.path)],
  ]);
}

/**
 * The part of a graph that lays watermarks over a picture, the later over the earlier. `from` and `to` are labels with their brackets,
 * `firstInput` the number of the first watermark's input. One frame of each is taken (an animation stands still) and stays to the end.
 * `prefix` tells the labels of one picture's watermarks from those of another's in the same graph.
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
      // Left to itself ("auto") it makes yuv444p of it all, which most players do not play.
      `${base}[mark${prefix}${index}]overlay=x=${x}:y=${y}:format=yuv420${result}`,
    ];
  });
}

function overlayFilters({ image, scaleTo, x, y, matrix }: Overlay): readonly string[] {
  return [
    'trim=end_frame=1',
    'format=gbrap',
    ...orientationFilters(image.orientation ?? 1),
    ...(scaleTo === null ? [] : scaling(scaleTo.width, scaleTo.height)),
    ...shiftFilters(parity(x), parity(y)),
    // ffmpeg by itself would take the rule of standard definition, and move the colours by up to 20 of 255 steps in all else.
    `scale=out_color_matrix=${matrix}:out_range=tv:flags=${accurateFlags}`,
    'format=yuva420p',
  ];
}

/** Builds of 2018 scale bilinearly unless told otherwise, and all of them spread chroma over two pixels. One frame costs nothing. */
const accurateFlags = 'bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** Colours count by how much of them is seen: what stands in transparent pixels, mostly black, would darken the edges. */
function scaling(width: number, height: number): readonly string[] {
  return [
    'premultiply=inplace=1',
    `scale=${width}:${height}:flags=${accurateFlags}`,
    'unpremultiply=inplace=1',
  ];
}

const parity = (offset: number) => Math.abs(offset % 2);

/** The filter overlay only knows even places. Before an odd one goes a transparent line. */
function shiftFilters(right: number, down: number): readonly string[] {
  return right + down === 0 ? [] : [`pad=iw+${right}:ih+${down}:${right}:${down}:black@0`];
}
