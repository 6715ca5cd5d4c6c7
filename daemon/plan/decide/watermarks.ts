import type { Distance, OutputSettings } from '../../../src/shared/settings/index.js';
import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { Fault } from '../../jobs/job-failure.js';
import type { WatermarkPicture } from '../plan-types.js';
import type { ColourMatrix, Overlay, PictureSize } from './decisions.js';

type WatermarkSettings = NonNullable<OutputSettings['watermark']>[number];

/** From the right and from the bottom, where a watermark says nothing else (section 4.1). */
const defaultDistance: Distance = { value: 10, unit: 'pixels', isFromFarEdge: true };

/**
 * Where watermarks lie on the finished picture, the last on top. Sizes and places are in pixels of that picture, percent is of
 * its sides; a watermark keeps its own size unless one is given, and its shape where only one side is.
 */
export function decideWatermarks(
  settings: readonly WatermarkSettings[],
  pictures: readonly WatermarkPicture[],
  canvas: PictureSize,
  matrix: ColourMatrix,
): readonly Overlay[] {
  return settings.flatMap((watermark, index) => {
    const picture = pictures[index];
    if (picture === undefined) return [];
    const size = sizeOf(watermark, picture, canvas);
    return [
      {
        picture,
        scaleTo: size.width === picture.width && size.height === picture.height ? null : size,
        x: placeOf(watermark.x ?? defaultDistance, canvas.width, size.width),
        y: placeOf(watermark.y ?? defaultDistance, canvas.height, size.height),
        matrix,
      },
    ];
  });
}

/** Why watermarks cannot be made as large as they are asked for; null where they can. */
export function tooLargeWatermark(overlays: readonly Overlay[]): Fault | null {
  const size = overlays
    .map(({ scaleTo }) => scaleTo)
    .find((scaled) => scaled !== null && scaled.width * scaled.height > maxPixels);
  if (size === undefined || size === null) return null;
  const message = `The watermark would be of ${size.width}x${size.height} pixels, and ${maxPixels} is the most.`;
  return { errorClass: 'WatermarkError', message };
}

function sizeOf({ width, height }: WatermarkSettings, own: PictureSize, canvas: PictureSize): PictureSize {
  const wide = width === undefined ? null : pixelsOf(width, canvas.width);
  const high = height === undefined ? null : pixelsOf(height, canvas.height);
  if (wide !== null && high !== null) return { width: wide, height: high };
  if (wide !== null) return { width: wide, height: atLeastOne((wide * own.height) / own.width) };
  if (high !== null) return { width: atLeastOne((high * own.width) / own.height), height: high };
  return { width: own.width, height: own.height };
}

function pixelsOf({ value, unit }: Distance, side: number): number {
  return atLeastOne(unit === 'percent' ? (value * side) / 100 : value);
}

function placeOf({ value, unit, isFromFarEdge }: Distance, side: number, own: number): number {
  const pixels = Math.round(unit === 'percent' ? (value * side) / 100 : value);
  return isFromFarEdge ? side - own - pixels : pixels;
}

function atLeastOne(pixels: number): number {
  return Math.max(1, Math.round(pixels));
}
