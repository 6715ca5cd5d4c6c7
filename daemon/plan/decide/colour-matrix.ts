import type { VideoFacts } from '../../jobs/media.js';
import type { ColourMatrix, PictureSize } from './decisions.js';

/** ffprobe's names of the rules by which red, green and blue became luma and chroma, by the name that is used here. */
const matrices: Readonly<Record<string, ColourMatrix>> = {
  bt709: 'bt709',
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  fcc: 'fcc',
  smpte240m: 'smpte240m',
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
  // Becomes luma and chroma on its way, by the rule that ffmpeg takes where none is told.
  gbr: 'bt601',
};

/** Pictures beyond this height that do not tell are taken for high definition by players. */
const greatestStandardHeight = 576;

/**
 * The rule by which the colours of a watermark are to be turned into those of the picture that it is laid over: the picture's own, and
 * where that does not tell, the one that players take for a picture of its size.
 */
export function decideColourMatrix({ colourSpace }: VideoFacts, canvas: PictureSize): ColourMatrix {
  const told = colourSpace === undefined ? undefined : matrices[colourSpace];
  return told ?? (canvas.height > greatestStandardHeight ? 'bt709' : 'bt601');
}
