import type { Orientation, VideoFacts } from '../../jobs/media.js';
import { elementaryStreamFormats } from '../decide/clip.js';
import type { ColourConversion, Fit, VideoDecision } from '../decide/decisions.js';
import { safeInputArgs } from '../safe-input.js';

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
 * Builds of 2018 scale bilinearly by default: an enlarged video had a quarter less detail. By default swscale rounds coarsely and
 * computes the chroma of RGB from every other pixel.
 */
export const scaleFlags = 'flags=bicubic+accurate_rnd+full_chroma_int';
const rgbFlags = `${scaleFlags}+full_chroma_inp`;

/** What the filters report if a frame has not the shape of the first: as a number, because expressions print nothing else. */
export const shapeMark = 1e12;

/**
 * Fits frames whose size or shape of pixels differs from that of the first, as in recordings of television, into it with bars. The
 * filters pass all other frames on as they are. ffmpeg would build the filters of an output again, which changes the shape of such frames, makes
 * those that count begin again, and loses watermarks; the input has the option that prevents that.
 */
export function shapeFilters({
  firstFrame,
  deinterlace,
  staysInterlaced,
}: Pick<VideoDecision, 'firstFrame' | 'deinterlace' | 'staysInterlaced'>): readonly string[] {
  if (firstFrame === null) return [];
  const { width, height, sampleAspectRatio } = firstFrame;
  const { numerator, denominator } = sampleAspectRatio;
  const pixel = numerator > 0 && denominator > 0 ? `${numerator}/${denominator}` : '1';
  const shape = `(${width}/${height}*${pixel})`;
  const isSame = String.raw`lt(abs(dar/${shape}-1)\,0.01)`;
  const even = (side: string) => String.raw`max(2\,2*round(${side}/2))`;
  const fittedWidth = String.raw`if(gt(dar\,${shape})\,${width}\,${even(`${width}*dar/${shape}`)})`;
  const fittedHeight = String.raw`if(gt(dar\,${shape})\,${even(`${height}*${shape}/dar`)}\,${height})`;
  const report = String.raw`if(eq(iw\,${width})*eq(ih\,${height})*${isSame}\,0\,0*print(${shapeMark}\,16))`;
  const options = [
    String.raw`w=${report}+if(${isSame}\,${width}\,${fittedWidth})`,
    String.raw`h=if(${isSame}\,${height}\,${fittedHeight})`,
    'eval=frame',
    scaleFlags,
    ...(staysInterlaced || deinterlace !== null ? ['interl=1'] : []),
  ];
  return [`scale=${options.join(':')}`, `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:eval=frame`];
}

/** The arguments of the run that lists the shapes of all keyframes, where they may change. Without timestamps all frames are counted. */
export function shapeListArgs(
  { streamIndex }: Pick<VideoFacts, 'streamIndex'>,
  format: string,
  path: string,
): readonly string[] {
  // Scaled to one size, because ffmpeg 7.0 crashes if it gets frames of another size than the first.
  return [
    ...['-v', 'info', ...(elementaryStreamFormats.has(format) ? [] : ['-skip_frame', 'nokey'])],
    ...['-reinit_filter:v', '0', ...safeInputArgs(path)],
    ...['-map', `0:${streamIndex}`, '-vf', 'showinfo,scale=16:16', '-f', 'null', '-'],
  ];
}

/** The sentence about the first change of the shape in the messages of that run; null if there is none. */
export function shapeWarning(messages: string): string | null {
  const frames = [...messages.matchAll(/ pts_time:(\S+) .* sar:(\d+)\/(\d+) s:(\d+)x(\d+) /g)].map(
    ([, seconds, ...numbers]) => {
      const [numerator = 0, denominator = 0, width = 0, height = 0] = numbers.map(Number);
      const pixel = numerator > 0 && denominator > 0 ? numerator / denominator : 1;
      return { seconds: Number(seconds), width, height, shape: (pixel * width) / height };
    },
  );
  const [first] = frames;
  const isOther = (one: (typeof frames)[number]) =>
    one.width !== first?.width ||
    one.height !== first.height ||
    Math.abs(one.shape / first.shape - 1) >= 0.01;
  const changed = frames.find(isOther);
  if (first === undefined || changed === undefined) return null;
  const name = ({ width, height, shape }: typeof first) => `${width}x${height} (${shapeName(shape)})`;
  return `The video changes from ${name(first)} to ${name(changed)} at ${changed.seconds.toFixed(1)} s of the input; it was fitted into the first size.`;
}

/** An aspect ratio, as people call it. */
function shapeName(shape: number): string {
  const known = [
    [4, 3],
    [3, 4],
    [16, 9],
    [9, 16],
    [1, 1],
    [5, 4],
    [3, 2],
    [21, 9],
  ] as const;
  const found = known.find(([width, height]) => Math.abs((shape * height) / width - 1) < 0.02);
  return found === undefined ? `${shape.toFixed(2)}:1` : found.join(':');
}

/** The decisions that scaling needs. */
type Scaled = Pick<Fit, 'scaleTo'> & Pick<VideoDecision, 'conversion' | 'staysInterlaced'>;

/**
 * Scales the whole video and converts it to its matrix and to limited range. All options are given if any conversion is needed:
 * by default ffmpeg assumes BT.601 for frames that signal nothing, and keeps full range.
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
 * Blends a video with transparency onto black. By default ffmpeg drops the alpha channel and shows the hidden colours. The result
 * is RGB.
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
 * Converts HDR to BT.709: makes the light linear with 100 cd/m² as 1, converts the primaries to those of high definition, and
 * applies a curve ("hable") that compresses what is brighter. Measured: grey of 26 cd/m² (18 % of white in HDR) becomes 97 of
 * 255, where BT.709 has 104; white of 203 becomes 193, and 1000 becomes 254. HLG gives the same. With twice the light as 1
 * (npl=203) that grey was 73; with the curves "mobius" and "reinhard" it was 146 and 137.
 *
 * It follows scaling, because it takes 16 ms of processor time per frame of 1280x720, and 37 ms for 1920x1080. If the video is
 * not scaled, odd sides are cropped first, because zscale does not support them with subsampled chroma.
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
