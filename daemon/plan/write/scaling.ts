import type { ColourConversion, Fit, VideoDecision } from '../decide/decisions.js';

/**
 * Builds of 2018 scale bilinearly unless told otherwise: an enlarged picture had a quarter less detail. By itself swscale rounds coarsely, and
 * makes colours of RGB of every other pixel.
 */
const flags = 'flags=bicubic+accurate_rnd+full_chroma_int';
const flagsOfRgb = `${flags}+full_chroma_inp`;

/** What the scaling of a picture goes by. */
export type Scaled = Pick<Fit, 'scaleTo'> & Pick<VideoDecision, 'conversion' | 'staysInterlaced'>;

/**
 * Brings the whole picture to its size, its matrix and the range of television. All three are said wherever anything is to be done: by itself
 * ffmpeg takes what a frame does not tell for BT.601, and a full range stays one.
 */
export function scaleFilters({ scaleTo, conversion, staysInterlaced }: Scaled): readonly string[] {
  const { to, isFullRange, hasAlpha } = conversion;
  // Laid on black, it is RGB.
  const from = hasAlpha ? 'rgb' : conversion.from;
  const isNeeded = scaleTo !== null || from !== to || isFullRange;
  if (!isNeeded) return [];
  const options = [
    ...(scaleTo === null ? [] : [`${scaleTo.width}:${scaleTo.height}`]),
    ...(from === 'rgb' ? [] : [`in_color_matrix=${from}`, `in_range=${isFullRange ? 'pc' : 'tv'}`]),
    `out_color_matrix=${to}`,
    'out_range=tv',
    from === 'rgb' ? flagsOfRgb : flags,
    ...(staysInterlaced ? ['interl=1'] : []),
  ];
  return [`scale=${options.join(':')}`];
}

/** What a picture is after `scaling`: what is made from it needs nothing of its colours changed. */
export function converted({ to }: ColourConversion): ColourConversion {
  return { from: to, to, isFullRange: false, hasAlpha: false };
}

/**
 * Lays a picture with transparent parts on black. By itself ffmpeg drops the transparency and shows what is hidden below it. The
 * result is RGB.
 */
export function blackBackgroundFilters({ conversion }: Pick<VideoDecision, 'conversion'>): readonly string[] {
  const { from, isFullRange, hasAlpha } = conversion;
  if (!hasAlpha) return [];
  return [
    ...(from === 'rgb'
      ? []
      : [`scale=in_color_matrix=${from}:in_range=${isFullRange ? 'pc' : 'tv'}:${flagsOfRgb}`]),
    // Builds of 2018 take 16 for black where the frame still says that it has the range of television.
    ...['format=gbrap', 'setrange=pc', 'premultiply=inplace=1', 'format=gbrp'],
  ];
}

/** Makes a still picture of RGB out of a frame. */
export function toRgb({
  from,
  isFullRange,
}: Pick<ColourConversion, 'from' | 'isFullRange'>): readonly string[] {
  const range = isFullRange ? 'pc' : 'tv';
  return [`scale=in_color_matrix=${from}:in_range=${range}:${flagsOfRgb}`, 'format=rgb24'];
}
