import type { Distance, OutputSettings } from '../../../src/shared/settings/index.js';
import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job.js';
import type { WatermarkImage } from '../plan-types.js';
import type { ColourMatrix, Overlay, PixelSize } from './decisions.js';

type WatermarkSettings = NonNullable<OutputSettings['watermark']>[number];

/** The default distance from the right and from the bottom (section 4.1). */
const defaultDistance: Distance = { value: 10, unit: 'pixels', isFromFarEdge: true };

/**
 * Decides the sizes and positions of watermarks on the finished video, the last on top. Both are in pixels of that video;
 * percentages refer to its sides. A watermark keeps its size unless one is set, and its aspect ratio if only one side is.
 */
export function decideWatermarks(
  settings: readonly WatermarkSettings[],
  images: readonly WatermarkImage[],
  canvas: PixelSize,
  matrix: ColourMatrix,
): readonly Overlay[] {
  return settings.flatMap((watermark, index) => {
    const image = images[index];
    if (image === undefined) return [];
    const size = sizeOf(watermark, image, canvas);
    return [
      {
        image,
        scaleTo: size.width === image.width && size.height === image.height ? null : size,
        x: offsetOf(watermark.x ?? defaultDistance, canvas.width, size.width),
        y: offsetOf(watermark.y ?? defaultDistance, canvas.height, size.height),
        matrix,
      },
    ];
  });
}

/** Returns a failure if a watermark would exceed the maximum size; null otherwise. */
export function tooLargeWatermark(overlays: readonly Overlay[]): JobFailure | null {
  const size = overlays
    .map(({ scaleTo }) => scaleTo)
    .find((scaled) => scaled !== null && scaled.width * scaled.height > maxPixels);
  if (size === undefined || size === null) return null;
  const message = `The watermark would be ${size.width}x${size.height} pixels; the maximum is ${maxPixels} pixels.`;
  return { errorClass: 'WatermarkError', message };
}

function sizeOf({ width, height }: WatermarkSettings, imageSize: PixelSize, canvas: PixelSize): PixelSize {
  const widthPixels = width === undefined ? null : pixelsOf(width, canvas.width);
  const heightPixels = height === undefined ? null : pixelsOf(height, canvas.height);
  if (widthPixels !== null && heightPixels !== null) return { width: widthPixels, height: heightPixels };
  if (widthPixels !== null)
    return {
      width: widthPixels,
      height: atLeastOnePixel((widthPixels * imageSize.height) / imageSize.width),
    };
  if (heightPixels !== null)
    return {
      width: atLeastOnePixel((heightPixels * imageSize.width) / imageSize.height),
      height: heightPixels,
    };
  return { width: imageSize.width, height: imageSize.height };
}

function pixelsOf({ value, unit }: Distance, side: number): number {
  return atLeastOnePixel(unit === 'percent' ? (value * side) / 100 : value);
}

function offsetOf({ value, unit, isFromFarEdge }: Distance, side: number, imageSize: number): number {
  const pixels = Math.round(unit === 'percent' ? (value * side) / 100 : value);
  return isFromFarEdge ? side - imageSize - pixels : pixels;
}

function atLeastOnePixel(pixels: number): number {
  return Math.max(1, Math.round(pixels));
}
