import type { Orientation } from '../../jobs/media.js';
import type { ColourConversion, Fit, VideoDecision } from '../decide/decisions.js';

const filtersByOrientation = {
  1: [],
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
} as const satisfies Record<Orientation, readonly string[]>;

/** The filters that correct an orientation. */
export function orientationFilters(orientation: Orientation): readonly string[] {
  return filtersByOrientation[orientation];
}

/**
 * Builds of 2018 scale bilinearly by default: an enlarged video had a quarter less detail. By default swscale rounds
 * coarsely and computes the chroma of RGB from every other pixel.
 */
export const scaleFlags = 'flags=bicubic+accurate_rnd+full_chroma_int';
const rgbFlags = `${scaleFlags}+full_chroma_inp`;

/** The decisions that scaling needs. */
type Scaled = Pick<Fit, 'scaleTo'> & Pick<VideoDecision, 'conversion' | 'staysInterlaced'>;

/**
 * Scales the whole video and converts it to its matrix and to limited range. All options are given if any conversion is
 * needed: by default ffmpeg assumes BT.601 for frames that signal nothing, and keeps full range.
 */
export function scaleFilters({ scaleTo, conversion, staysInterlaced }: Scaled): readonly string[] {
  const { to, isFullRange, hasAlpha } = conversion;
  // After blending onto black it is RGB.
  const from = hasAlpha ? 'rgb' : conversion.from;
  const isNeeded = scaleTo !== null || from !== to || isFullRange;
  if (!isNeeded) return [];
  const options = [
    ...(scaleTo === null ? [] : [`${scaleTo.width}:${scaleTo.height}`]),
    ...(from === 'rgb' ? [] : [`in_color_matrix=${from}`, `in_range=${isFullRange ? 'pc' : 'tv'}`]),
    `out_color_matrix=${to}`,
    'out_range=tv',
    from === 'rgb' ? rgbFlags : scaleFlags,
    ...(staysInterlaced ? ['interl=1'] : []),
  ];
  return [`scale=${options.join(':')}`];
}

/** The conversion of a video that `scaleFilters` has already converted: it changes nothing. */
export function converted({ to }: ColourConversion): ColourConversion {
  return { from: to, to, isFullRange: false, hasAlpha: false };
}

/**
 * Blends a video with transparency onto black. By default ffmpeg drops the alpha channel and shows the hidden colours.
 * The result is RGB.
 */
export function blackBackgroundFilters({ conversion }: Pick<VideoDecision, 'conversion'>): readonly string[] {
  const { from, isFullRange, hasAlpha } = conversion;
  if (!hasAlpha) return [];
  return [
    ...(from === 'rgb'
      ? []
      : [`scale=in_color_matrix=${from}:in_range=${isFullRange ? 'pc' : 'tv'}:${rgbFlags}`]),
    // Builds of 2018 use 16 for black if the frame still signals limited range.
    ...['format=gbrap', 'setrange=pc', 'premultiply=inplace=1', 'format=gbrp'],
  ];
}

/** Converts a frame to an RGB image. `moreOptions` of the filter begin with a colon. */
export function toRgb(
  { from, isFullRange }: Pick<ColourConversion, 'from' | 'isFullRange'>,
  moreOptions = '',
): readonly string[] {
  const range = isFullRange ? 'pc' : 'tv';
  return [`scale=in_color_matrix=${from}:in_range=${range}:${rgbFlags}${moreOptions}`, 'format=rgb24'];
}

/**
 * Converts HDR to BT.709: makes the light linear with 100 cd/m² as 1, converts the primaries to those of high
 * definition, and applies a curve ("hable") that compresses what is brighter. Measured: grey of 26 cd/m² (18 % of white
 * in HDR) becomes 97 of 255, where BT.709 has 104; white of 203 becomes 193, and 1000 becomes 254. HLG gives the same.
 * With twice the light as 1 (npl=203) that grey was 73; with the curves "mobius" and "reinhard" it was 146 and 137.
 *
 * It follows scaling, because it takes 16 ms of processor time per frame of 1280x720, and 37 ms for 1920x1080. If the
 * video is not scaled, odd sides are cropped first, because zscale does not support them with subsampled chroma.
 */
export function toneMapFilters({
  toneMapFrom,
  conversion,
  colours,
  scaleTo,
}: Pick<VideoDecision, 'toneMapFrom' | 'conversion' | 'colours'> & Pick<Fit, 'scaleTo'>): readonly string[] {
  if (toneMapFrom === null) return [];
  const { transfer, primaries, matrix } = toneMapFrom;
  const wasRgb = conversion.hasAlpha || conversion.from === 'rgb';
  return [
    ...(scaleTo === null ? ['crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0'] : []),
    ...(wasRgb ? ['format=yuv444p10le'] : []),
    // The result of blending onto black does not signal its range.
    `zscale=tin=${transfer}:pin=${primaries}:min=${matrix}:rin=tv:t=linear:p=bt709:npl=100`,
    'format=gbrpf32le',
    'tonemap=hable:desat=0',
    `zscale=t=bt709:m=${colours.matrix}:r=tv`,
  ];
}

const colourOptions = ['-color_primaries', '-color_trc', '-colorspace', '-color_range'] as const;

/** The arguments that signal the colours in the file, or that they are unknown. */
export function colourArgs({
  colours: { primaries, transfer, matrix },
  signalling,
}: Pick<VideoDecision, 'colours' | 'signalling'>): readonly string[] {
  if (!signalling.hasColours) return colourOptions.flatMap((option) => [option, 'unknown']);
  // "mpeg" is limited range and "jpeg" full range; builds of 2018 have no other names for them.
  return [
    ...['-color_primaries', primaries, '-color_trc', transfer, '-colorspace', matrix],
    ...['-color_range', signalling.isFullRange ? 'jpeg' : 'mpeg'],
  ];
}
