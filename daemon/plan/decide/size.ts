import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { type Ratio, uprightSize, type VideoFacts } from '../../jobs/media.js';
import type { Fit, PictureSize } from './decisions.js';

/** The settings that a size is made of (section 4.1 Resolution). */
export type SizeSettings = Pick<OutputSettings, 'width' | 'height' | 'size' | 'upscale' | 'aspect_mode'>;

/**
 * How the picture is brought to its size: `width` and `height` (or `size`) with `aspect_mode` and `upscale`. Sizes are those of the
 * upright picture in square pixels: the height stays, the width is scaled. Every side that comes out is even.
 */
export function decideFit(settings: SizeSettings, video: VideoFacts): Fit {
  const stored = uprightSize(video);
  const original = squared(stored, uprightPixel(video));
  const { scaled, canvas, by } = fitted(settings, original);
  return untouched(stored, original, scaled, canvas, by);
}

interface Fitted {
  readonly scaled: PictureSize;
  readonly canvas: PictureSize;
  readonly by: Fit['by'];
}

function fitted(settings: SizeSettings, original: PictureSize): Fitted {
  const width = settings.width ?? settings.size?.width;
  const height = settings.height ?? settings.size?.height;
  const mayEnlarge = settings.upscale ?? false;
  const capped = (factor: number) => (mayEnlarge ? factor : Math.min(1, factor));
  if (width === undefined || height === undefined) {
    // With one side only the other one follows, and aspect_mode means nothing.
    const factor =
      width !== undefined ? width / original.width : height !== undefined ? height / original.height : 1;
    return plain(times(original, capped(factor)));
  }
  const inside = Math.min(width / original.width, height / original.height);
  const around = Math.max(width / original.width, height / original.height);
  // The asked shape, as large as goes without enlarging either side.
  const shape = times({ width, height }, mayEnlarge ? 1 : Math.min(1, 1 / around));
  switch (settings.aspect_mode ?? 'preserve') {
    case 'preserve':
      return plain(times(original, capped(inside)));
    case 'stretch':
      return plain(shape);
    case 'pad':
      return { scaled: even(times(original, capped(inside))), canvas: even({ width, height }), by: 'bars' };
    case 'crop': {
      const canvas = even(shape);
      const scaled = whole(times(original, capped(around)));
      // Rounding must not leave the picture a pixel short of what is cut out of it.
      return { scaled: atLeast(scaled, canvas), canvas, by: 'trim-middle' };
    }
  }
}

const plain = (size: PictureSize): Fitted => ({ scaled: even(size), canvas: even(size), by: 'nothing' });

/** Leaves out the steps that would change nothing: scaling most of all, which costs the most. */
function untouched(
  stored: PictureSize,
  original: PictureSize,
  scaled: PictureSize,
  canvas: PictureSize,
  by: Fit['by'],
): Fit {
  const isSquare = isSame(stored, original);
  const needed = isSame(scaled, canvas) ? 'nothing' : by;
  if (isSquare && isSame(scaled, stored)) return { scaleTo: null, canvas, by: needed };
  // An odd side loses its last line: scaling for that would blur the whole picture.
  if (isSquare && needed === 'nothing' && isSame(scaled, even(stored)))
    return { scaleTo: null, canvas, by: 'trim-edge' };
  return { scaleTo: scaled, canvas, by: needed };
}

/** Shape of a pixel once the picture stands upright. Nonsense in the file counts as square. */
function uprightPixel({ sampleAspectRatio: { numerator, denominator }, rotationDegrees }: VideoFacts): Ratio {
  if (numerator <= 0 || denominator <= 0) return { numerator: 1, denominator: 1 };
  const isTurned = rotationDegrees === 90 || rotationDegrees === 270;
  return isTurned ? { numerator: denominator, denominator: numerator } : { numerator, denominator };
}

function squared(size: PictureSize, pixel: Ratio): PictureSize {
  return {
    width: Math.max(1, Math.round((size.width * pixel.numerator) / pixel.denominator)),
    height: size.height,
  };
}

const times = (size: PictureSize, factor: number): PictureSize => ({
  width: size.width * factor,
  height: size.height * factor,
});
const whole = (size: PictureSize): PictureSize => ({
  width: Math.round(size.width),
  height: Math.round(size.height),
});
const evenSide = (side: number) => Math.max(2, Math.round(side) - (Math.round(side) % 2));
const even = (size: PictureSize): PictureSize => ({
  width: evenSide(size.width),
  height: evenSide(size.height),
});
const atLeast = (size: PictureSize, least: PictureSize): PictureSize => ({
  width: Math.max(size.width, least.width),
  height: Math.max(size.height, least.height),
});
const isSame = (one: PictureSize, other: PictureSize) =>
  one.width === other.width && one.height === other.height;
