import { maxPixels } from '../../../src/api/settings/limits.js';
import type { Overlay } from '../decide/decisions.js';
import { fileArgument } from '../safe-input.js';

/** The pictures of watermarks as inputs of their own, each read as what it was found to be. */
export function watermarkInputArgs(overlays: readonly Overlay[]): readonly string[] {
  return overlays.flatMap(({ picture }) => [
    ...['-protocol_whitelist', 'file,pipe', '-max_pixels', String(maxPixels)],
    ...['-f', picture.demuxer, '-i', fileArgument(picture.path)],
  ]);
}

/**
 * The part of a graph that lays watermarks over a picture, the later over the earlier. `from` and `to` are labels with their brackets,
 * `firstInput` the number of the first watermark's input. One frame of each is taken (an animation stands still) and stays to the end.
 */
export function watermarkGraph(
  overlays: readonly Overlay[],
  from: string,
  to: string,
  firstInput: number,
): readonly string[] {
  return overlays.flatMap(({ scaleTo, x, y }, index) => {
    const scale = scaleTo === null ? [] : [`scale=${scaleTo.width}:${scaleTo.height}`];
    const below = index === 0 ? from : `[under${index}]`;
    const result = index === overlays.length - 1 ? to : `[under${index + 1}]`;
    return [
      `[${firstInput + index}:v]${['trim=end_frame=1', 'format=rgba', ...scale].join(',')}[mark${index}]`,
      `${below}[mark${index}]overlay=x=${x}:y=${y}:format=auto${result}`,
    ];
  });
}
