import type { VideoDecision, VideoEffects } from '../decide/decisions.js';
import { scaleFlags, toRgb } from './frame-filters.js';

const denoiseStrengths = {
  weak: '2:1:2:3',
  medium: '3:2:2:3',
  strong: '7:7:5:5',
  strongest: '10:10:8:8',
} as const satisfies Record<NonNullable<VideoEffects['denoise']>, string>;

/** The filters that follow deinterlacing and precede rotation. They keep matrix and range of the input. */
export function effectFilters({
  effects,
  conversion,
  staysInterlaced,
}: Pick<VideoDecision, 'effects' | 'conversion' | 'staysInterlaced'>): readonly string[] {
  const { deblocks, denoise, levels, flip } = effects;
  // After blending onto black it is RGB.
  const isRgb = conversion.hasAlpha || conversion.from === 'rgb';
  const interlaced = staysInterlaced ? ':interl=1' : '';
  const smoothing = [
    ...(deblocks ? ['deblock=filter=strong:block=8'] : []),
    ...(denoise === null ? [] : [`hqdn3d=${denoiseStrengths[denoise]}`]),
  ];
  const { from, isFullRange } = conversion;
  return [
    ...(isRgb && smoothing.length > 0 ? inYuv(smoothing) : smoothing),
    ...(!levels
      ? []
      : isRgb
        ? [normalize]
        : [
            ...toRgb({ from, isFullRange }, interlaced),
            normalize,
            `scale=out_color_matrix=${from}:out_range=${isFullRange ? 'pc' : 'tv'}:${scaleFlags}+full_chroma_inp${interlaced}`,
            'format=yuv444p',
          ]),
    ...(flip === null ? [] : [flip === 'horizontal' ? 'hflip' : 'vflip']),
  ];
}

/** Averages 50 frames, so that it does not flicker. */
const normalize = 'normalize=smoothing=50:independence=0.5';

/** Applies filters of luma and chroma to RGB, with a defined matrix: otherwise ffmpeg picks one for each conversion. */
function inYuv(filters: readonly string[]): readonly string[] {
  return [
    `scale=out_color_matrix=bt709:out_range=tv:${scaleFlags}+full_chroma_inp`,
    'format=yuv444p',
    ...filters,
    `scale=in_color_matrix=bt709:in_range=tv:${scaleFlags}+full_chroma_inp`,
    'format=gbrp',
  ];
}

/** The filter that follows scaling. */
export function sharpenFilters({ effects }: Pick<VideoDecision, 'effects'>): readonly string[] {
  return effects.sharpens ? ['unsharp=5:5:0.6:5:5:0'] : [];
}

/** Sets the shape of the pixels, if they are not square. By default the filter rounds to numbers up to 100. */
export function pixelRatioFilters({ signalling }: Pick<VideoDecision, 'signalling'>): readonly string[] {
  const { pixelRatio } = signalling;
  return pixelRatio === null ? [] : [`setsar=${pixelRatio.numerator}/${pixelRatio.denominator}:max=65535`];
}
