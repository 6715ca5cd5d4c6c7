import type { Container } from '../containers.js';
import type { Picture } from '../decide/decisions.js';
import { atLevel } from '../decide/level.js';
import { type VideoEncoder, videoEncoders } from '../encoders.js';
import type { Abilities } from '../plan-types.js';
import { likelyFramesPerSecond, rateArgs } from './rate.js';
import { timingArgs } from './timing.js';
import { colourArgs } from './tone-mapping.js';

/** Which of two passes a run is, and where the first one leaves its findings for the second. */
export interface Pass {
  readonly number: 1 | 2;
  /** Path without an ending; the encoder adds its own. */
  readonly log: string;
  /** The same below the folder that the steps are run in. */
  readonly logName: string;
}

/** The encoder of the picture with everything it is told. `pass` is null where one pass is all. */
export function videoArgs(
  picture: Picture,
  container: Container,
  pass: Pass | null,
  abilities: Abilities,
): readonly string[] {
  const encoder: VideoEncoder = videoEncoders[picture.encoder];
  return [
    ...timingArgs(picture.timing, abilities),
    '-c:v',
    picture.encoder,
    ...atLevel(encoder.speed, picture.speed),
    ...(encoder.always ?? []),
    ...rateArgs(picture, encoder),
    ...groupArgs(picture, encoder, pass),
    ...colourArgs(picture),
    ...(encoder.codec === 'hevc' && (container.wantsHvc1 ?? false) ? ['-tag:v', 'hvc1'] : []),
  ];
}

/** Keyframes and passes. ffmpeg knows nothing of x265's passes, nor builds of 2018 of its keyframes, so both go into its own parameters. */
function groupArgs(picture: Picture, encoder: VideoEncoder, pass: Pass | null): readonly string[] {
  const frames = keyframeInterval(picture, encoder);
  if (encoder.passes !== 'x265') {
    const passArgs = pass === null ? [] : ['-pass', String(pass.number), '-passlogfile', pass.log];
    return ['-g', String(frames), ...passArgs];
  }
  // They are parted by colons, which a path may hold as well: hence the name alone.
  const passParams = pass === null ? [] : [`pass=${pass.number}`, `stats=${pass.logName}.log`];
  return ['-x265-params', [`keyint=${frames}`, ...passParams].join(':')];
}

function keyframeInterval(
  { keyframeInterval, cap, framesPerSecond }: Picture,
  { underCap }: VideoEncoder,
): number {
  if (cap === null || underCap.keyframesPerBuffer === undefined) return keyframeInterval;
  const buffered = (cap.bufferKilobits / cap.kbps) * (framesPerSecond ?? likelyFramesPerSecond);
  return Math.min(keyframeInterval, Math.max(1, Math.floor(buffered / underCap.keyframesPerBuffer)));
}
