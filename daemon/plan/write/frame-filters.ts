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

/** The filters that make a picture of a given orientation upright. */
export function orientationFilters(orientation: Orientation): readonly string[] {
  return filtersByOrientation[orientation];
}

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

/**
 * Brings high dynamic range to BT.709: light is made linear with 100 cd/m² as 1, its colours those of high definition, and a curve
 * ("hable") bends what is brighter into what a screen can show. Measured: grey of 26 cd/m² (what 18 % of white is in HDR) comes out at
 * 97 of 255, where BT.709 has 104, white of 203 at 193, and 1000 at 254; HLG alike. With twice the light as 1 (npl=203) that grey
 * was 73; with the curves "mobius" and "reinhard" it was 146 and 137.
 *
 * It goes behind the scaling: it takes 16 ms of processor time for a frame of 1280x720, and 37 ms for one of 1920x1080. Of a picture in its
 * own size the odd side is trimmed first, as zscale takes none with halved chroma.
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
    // What was laid on black comes without its range.
    `zscale=tin=${transfer}:pin=${primaries}:min=${matrix}:rin=tv:t=linear:p=bt709:npl=100`,
    'format=gbrpf32le',
    'tonemap=hable:desat=0',
    `zscale=t=bt709:m=${colours.matrix}:r=tv`,
  ];
}

/** What the file is told of its colours. */
export function colourArgs({
  colours: { primaries, transfer, matrix },
}: Pick<VideoDecision, 'colours'>): readonly string[] {
  // "mpeg" is the range of television: builds of 2018 know no other name for it.
  return [
    ...['-color_primaries', primaries, '-color_trc', transfer, '-colorspace', matrix],
    ...['-color_range', 'mpeg'],
  ];
}
