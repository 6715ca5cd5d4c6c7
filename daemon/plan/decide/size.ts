import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { RequestWarning } from '../../../src/shared/settings/setting.js';
import { displaySize, type Ratio, type VideoFacts } from '../../jobs/media.js';
import type { Correction, Fit, PixelSize } from './decisions.js';

/** The settings that decide the size (section 4.1 Resolution). */
export type SizeSettings = Pick<OutputSettings, 'width' | 'height' | 'size' | 'upscale' | 'aspect_mode'>;

/**
 * Decides the size of the output from `width` and `height` (or `size`), `aspect_mode` and `upscale`. Sizes are those of
 * the rotated video in square pixels: the height is kept, the width is scaled. Every resulting side is even. If the
 * output has no square pixels, its whole frame is used by default.
 */
export function decideFit(settings: SizeSettings, video: VideoFacts, hasSquarePixels = true): Fit {
  const stored = displaySize(video);
  const original = toSquarePixels(stored, rotatedPixelRatio(video));
  const aspect_mode = settings.aspect_mode ?? (hasSquarePixels ? 'preserve' : 'stretch');
  const { scaled, canvas, by } = computeFit({ ...settings, aspect_mode }, original);
  return omitNeedlessScaling(stored, original, scaled, canvas, by);
}

/** How a video is fitted, and which of the given sides were lowered for that. */
interface LimitedFit {
  readonly fit: Fit;
  readonly corrections: readonly Correction[];
}

/**
 * Decides the size of the output. A given side is lowered until the video has at most `maxPixels`; the size of the
 * input is not.
 */
export function decideLimitedFit(
  settings: SizeSettings,
  video: VideoFacts,
  hasSquarePixels: boolean,
): LimitedFit {
  const fit = decideFit(settings, video, hasSquarePixels);
  const sides = (['width', 'height'] as const).filter((side) => settings[side] !== undefined);
  if (pixelsOf(fit) <= maxPixels || sides.length === 0) return { fit, corrections: [] };
  const factor = Math.sqrt(maxPixels / pixelsOf(fit));
  const lowered = sides.map((side) => [side, evenSide(Math.floor((settings[side] ?? 0) * factor))] as const);
  const reason = `the video would be ${fit.canvas.width}x${fit.canvas.height}, and the maximum is ${maxPixels} pixels`;
  return {
    fit: decideFit({ ...settings, ...Object.fromEntries(lowered) }, video, hasSquarePixels),
    corrections: lowered.map(([name, value]) => ({ name, value: String(value), reason })),
  };
}

/** The pixels of the largest frame that a fit makes. */
export function pixelsOf({ canvas, scaleTo }: Fit): number {
  const scaled = scaleTo === null ? 0 : scaleTo.width * scaleTo.height;
  return Math.max(canvas.width * canvas.height, scaled);
}

/** An odd side becomes the next lower even number, with a warning. `path` is the path of the output. */
export function oddSideWarnings(settings: SizeSettings, path: string): readonly RequestWarning[] {
  const { width = 0, height = 0 } = settings;
  const odd = (['width', 'height'] as const).filter((side) => (settings[side] ?? 0) % 2 !== 0);
  // `size` sets both, and has one warning.
  const even = toEvenSize({ width, height });
  return odd.map((side) => ({
    field: `${path}.${side}`,
    message: `was corrected to ${odd.length === 2 ? `the size ${even.width}x${even.height}` : even[side]}: the sides of a video are even`,
    strictError: 'must be even, as the sides of a video are',
  }));
}

interface ComputedFit {
  readonly scaled: PixelSize;
  readonly canvas: PixelSize;
  readonly by: Fit['by'];
}

function computeFit(settings: SizeSettings, original: PixelSize): ComputedFit {
  const width = settings.width ?? settings.size?.width;
  const height = settings.height ?? settings.size?.height;
  const mayEnlarge = settings.upscale ?? false;
  const limitFactor = (factor: number) => (mayEnlarge ? factor : Math.min(1, factor));
  if (width === undefined || height === undefined) {
    // With one side given, the other follows, and aspect_mode has no effect.
    const factor =
      width !== undefined ? width / original.width : height !== undefined ? height / original.height : 1;
    return unpadded(scaleSize(original, limitFactor(factor)));
  }
  const inside = Math.min(width / original.width, height / original.height);
  const around = Math.max(width / original.width, height / original.height);
  // The requested aspect ratio, as large as possible without enlarging either side.
  const shape = scaleSize({ width, height }, mayEnlarge ? 1 : Math.min(1, 1 / around));
  switch (settings.aspect_mode ?? 'preserve') {
    case 'preserve':
      return unpadded(scaleSize(original, limitFactor(inside)));
    case 'stretch':
      return unpadded(shape);
    case 'pad':
      return {
        scaled: toEvenSize(scaleSize(original, limitFactor(inside))),
        canvas: toEvenSize({ width, height }),
        by: 'bars',
      };
    case 'crop': {
      const canvas = toEvenSize(shape);
      const scaled = roundSize(scaleSize(original, limitFactor(around)));
      // Rounding must not make the video smaller than the crop.
      return { scaled: atLeast(scaled, canvas), canvas, by: 'crop-centre' };
    }
  }
}

const unpadded = (size: PixelSize): ComputedFit => ({
  scaled: toEvenSize(size),
  canvas: toEvenSize(size),
  by: 'nothing',
});

/** Omits steps without effect, scaling above all, which is the most expensive. */
function omitNeedlessScaling(
  stored: PixelSize,
  original: PixelSize,
  scaled: PixelSize,
  canvas: PixelSize,
  by: Fit['by'],
): Fit {
  const isSquare = isSame(stored, original);
  const needed = isSame(scaled, canvas) ? 'nothing' : by;
  if (isSquare && isSame(scaled, stored)) return { scaleTo: null, canvas, by: needed };
  // An odd side loses its last line, if it has two. Scaling for that would blur the whole video.
  if (
    isSquare &&
    Math.min(stored.width, stored.height) >= minSide &&
    needed === 'nothing' &&
    isSame(scaled, toEvenSize(stored))
  )
    return { scaleTo: null, canvas, by: 'crop-edge' };
  return { scaleTo: scaled, canvas, by: needed };
}

/** Encoders and filters need two pixels. */
const minSide = 2;

/** The sentence about a video of which a side has a single pixel. */
export function enlargedWarnings(video: VideoFacts, { canvas }: Fit): readonly string[] {
  const { width, height } = displaySize(video);
  if (Math.min(width, height) >= minSide) return [];
  return [
    `The video of ${width}x${height} pixels was scaled to ${canvas.width}x${canvas.height}: a side has at least ${minSide} pixels.`,
  ];
}

/** Pixels that deviate less from squares are taken for square: the difference cannot be seen, and scaling blurs. */
const squareTolerance = 0.01;

/** The pixel aspect ratio after rotation. An invalid or a nearly square ratio counts as square. */
function rotatedPixelRatio({
  sampleAspectRatio: { numerator, denominator },
  rotationDegrees,
}: VideoFacts): Ratio {
  const isInvalid = numerator <= 0 || denominator <= 0;
  if (isInvalid || Math.abs(numerator / denominator - 1) <= squareTolerance)
    return { numerator: 1, denominator: 1 };
  const isSideways = rotationDegrees === 90 || rotationDegrees === 270;
  return isSideways ? { numerator: denominator, denominator: numerator } : { numerator, denominator };
}

function toSquarePixels(size: PixelSize, pixel: Ratio): PixelSize {
  return {
    width: Math.max(1, Math.round((size.width * pixel.numerator) / pixel.denominator)),
    height: size.height,
  };
}

const scaleSize = (size: PixelSize, factor: number): PixelSize => ({
  width: size.width * factor,
  height: size.height * factor,
});
const roundSize = (size: PixelSize): PixelSize => ({
  width: Math.round(size.width),
  height: Math.round(size.height),
});
const evenSide = (side: number) => Math.max(minSide, Math.round(side) - (Math.round(side) % 2));
const toEvenSize = (size: PixelSize): PixelSize => ({
  width: evenSide(size.width),
  height: evenSide(size.height),
});
const atLeast = (size: PixelSize, minimum: PixelSize): PixelSize => ({
  width: Math.max(size.width, minimum.width),
  height: Math.max(size.height, minimum.height),
});
const isSame = (a: PixelSize, b: PixelSize) => a.width === b.width && a.height === b.height;
