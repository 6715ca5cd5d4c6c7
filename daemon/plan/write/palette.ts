import { finalMatrix } from '../decide/colours.js';
import type { Decision, VideoDecision } from '../decide/decisions.js';
import { atLevel, levelOf, type VideoEncoder, videoEncoders } from '../encoders.js';
import { fileArgument } from '../safe-input.js';
import { videoLabel } from './filters.js';
import { toRgb } from './frame-filters.js';
import { secondsArgument } from './input.js';
import { skipOf } from './output.js';
import type { Pass } from './video.js';

/** What a run with a palette has besides that of another video. */
interface PaletteRun {
  readonly inputArgs: readonly string[];
  readonly graphs: readonly string[];
  /** The label of the video in the graph, for `-map`. */
  readonly label: string;
  /** The file of the palette, in a first pass. */
  readonly outputArgs: readonly string[];
}

/**
 * The palette of an encoder that has one, such as that of GIF; null for others. A first pass chooses the colours of the
 * whole clip and writes them as an image, and the second one maps the frames to them. In one run ffmpeg would hold all
 * frames in memory until it knows the colours. `input` is the number of the input with the palette.
 */
export function paletteRun(
  decision: Decision,
  video: VideoDecision,
  pass: Pass,
  input: number,
): PaletteRun | null {
  const { paletteColours }: VideoEncoder = videoEncoders[video.encoder];
  if (paletteColours === undefined) return null;
  const file = fileArgument(`${pass.log}.png`);
  const rgb = toRgb({ from: finalMatrix(video), isFullRange: false }).join(',');
  if (pass.number === 2) {
    const use = 'paletteuse=dither=sierra2_4a:diff_mode=rectangle';
    return {
      inputArgs: ['-protocol_whitelist', 'file,pipe', '-f', 'png_pipe', '-i', file],
      graphs: [`${videoLabel}${rgb}[rgb]`, `[rgb][${input}:v]${use}[mapped]`],
      label: '[mapped]',
      outputArgs: [],
    };
  }
  const { seconds } = skipOf(decision);
  const { lengthSeconds } = decision.clip;
  const part = [
    ...(seconds > 0 ? [`start=${secondsArgument(seconds)}`] : []),
    ...(lengthSeconds === null ? [] : [`end=${secondsArgument(seconds + lengthSeconds)}`]),
  ];
  const colours = atLevel(
    paletteColours,
    video.rate.by === 'quality' ? video.rate.level : levelOf(undefined),
  );
  const filters = [
    ...(part.length === 0 ? [] : [`trim=${part.join(':')}`]),
    ...[rgb, `palettegen=max_colors=${colours}:reserve_transparent=0`],
  ];
  return {
    inputArgs: [],
    // The other copy is discarded as it is read, so that ffmpeg reports progress.
    graphs: [`${videoLabel}split[seen][counted]`, `[counted]${filters.join(',')}[palette]`],
    label: '[seen]',
    outputArgs: ['-map', '[palette]', '-c:v', 'png', '-frames:v', '1', '-f', 'image2pipe', file],
  };
}
