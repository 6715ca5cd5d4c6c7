import type { VideoFacts } from '../../jobs/media.js';
import type { ColourMatrix } from './decisions.js';

/** ffprobe's names of the rules by which red, green and blue became luma and chroma, by the name that is used here. */
const matrices: Readonly<Record<string, ColourMatrix>> = {
  bt709: 'bt709',
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  fcc: 'fcc',
  smpte240m: 'smpte240m',
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
};

/** What primaries suggest where the matrix is not told. */
const matricesByPrimaries: Readonly<Record<string, ColourMatrix>> = {
  bt709: 'bt709',
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  smpte240m: 'smpte240m',
  bt2020: 'bt2020',
};

/** From this size on a picture that does not tell is high definition. */
const highDefinition = { width: 1280, height: 720 } as const;

const rgbFormat = /^(?:gbr|rgb|bgr|[0xa]rgb|[0xa]bgr|x2rgb|x2bgr|pal8|xyz|bayer)/;

/** Whether a picture has red, green and blue instead of luma and chroma. */
export function isRgb({ pixelFormat }: VideoFacts): boolean {
  return rgbFormat.test(pixelFormat ?? '');
}

/** The rule for luma and chroma of a picture: what it tells, else that of its size. */
export function sourceMatrix(video: VideoFacts): ColourMatrix {
  const { colourSpace = '', colourPrimaries = '', width, height } = video;
  const isHigh = width >= highDefinition.width || height >= highDefinition.height;
  return matrices[colourSpace] ?? matricesByPrimaries[colourPrimaries] ?? (isHigh ? 'bt709' : 'bt601');
}

/** Whether luma goes from 0 to 255 instead of 16 to 235. */
export function isFullRange({ pixelFormat, colourRange }: VideoFacts): boolean {
  return colourRange === 'full' || /^yuvj/.test(pixelFormat ?? '');
}
