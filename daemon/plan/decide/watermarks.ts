import type { Distance, OutputSettings } from '../../../src/shared/settings/index.js';
import type { WatermarkImage } from '../plan-types.js';
import type { ColourMatrix, Fit, Overlay, PixelSize } from './decisions.js';

type WatermarkSettings = NonNullable<OutputSettings['watermark']>[number];

/** The default distance from the right and from the bottom (section 4.1). */
const defaultDistance: Distance = { value: 10, unit: 'pixels', isFromFarEdge: true };

/** The frame of a video, and the part of it that is not bars. */
interface WatermarkArea {
  readonly frame: PixelSize;
  readonly content: PixelSize & { readonly x: number; readonly y: number };
}

/** The area for watermarks. `unscaled` is the size of the video if it is not scaled. */
export function watermarkArea({ canvas, scaleTo, by }: Fit, unscaled: PixelSize): WatermarkArea {
  if (by !== 'bars') return { frame: canvas, content: { x: 0, y: 0, ...canvas } };
  const { width, height } = scaleTo ?? unscaled;
  // The filter pad places the video at even positions.
  const barOf = (whole: number, part: number) => 2 * Math.floor((whole - part) / 4);
  return {
    frame: canvas,
    content: { x: barOf(canvas.width, width), y: barOf(canvas.height, height), width, height },
  };
}

/**
 * Decides the sizes and positions of watermarks on the finished video, the last on top. Both are in pixels of that
 * video, measured in its content without bars unless `origin` is `frame`; percentages refer to the sides of the same
 * area. A watermark keeps its size unless one is set, and its aspect ratio if only one side is. One that does not fit
 * entirely into the area is left out, and `leftOut` says so; one without opacity is left out silently.
 */
export function decideWatermarks(
  settings: readonly WatermarkSettings[],
  images: readonly WatermarkImage[],
  { frame, content }: WatermarkArea,
  matrix: ColourMatrix,
): { readonly overlays: readonly Overlay[]; readonly leftOut: readonly LeftOutWatermark[] } {
  const overlays: Overlay[] = [];
  const leftOut: LeftOutWatermark[] = [];
  for (const [index, watermark] of settings.entries()) {
    const image = images[index];
    const { opacity = 1 } = watermark;
    if (image === undefined || opacity === 0) continue;
    const area = watermark.origin === 'frame' ? { x: 0, y: 0, ...frame } : content;
    const size = sizeOf(watermark, image, area);
    const x = offsetOf(watermark.x ?? defaultDistance, area.width, size.width);
    const y = offsetOf(watermark.y ?? defaultDistance, area.height, size.height);
    if (Math.min(x, y) < 0 || x + size.width > area.width || y + size.height > area.height) {
      leftOut.push({
        subject: `Watermark ${index + 1}`,
        reason: `its ${size.width}x${size.height} pixels at ${x},${y} do not fit into the video of ${area.width}x${area.height}`,
      });
      continue;
    }
    const scaleTo = size.width === image.width && size.height === image.height ? null : size;
    overlays.push({ image, scaleTo, x: area.x + x, y: area.y + y, matrix, opacity });
  }
  return { overlays, leftOut };
}

/** A watermark that the video does not have, and the reason as a clause. */
interface LeftOutWatermark {
  readonly subject: string;
  readonly reason: string;
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

function offsetOf(
  { value, unit, isFromFarEdge, isCentered }: Distance,
  side: number,
  imageSize: number,
): number {
  if (isCentered === true) return Math.floor((side - imageSize) / 2);
  const pixels = Math.round(unit === 'percent' ? (value * side) / 100 : value);
  return isFromFarEdge ? side - imageSize - pixels : pixels;
}

function atLeastOnePixel(pixels: number): number {
  return Math.max(1, Math.round(pixels));
}
