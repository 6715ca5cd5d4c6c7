import type { Container } from '../containers.js';
import type { Picture, Timing } from '../decide/decisions.js';
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
    ...timingArgs(clocked(picture, encoder, abilities), abilities),
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

/**
 * The times of a picture by the clock that its encoder can bear. Up to 5.1, ffmpeg tells libvpx and libaom that a frame lasts one step of the
 * clock: with steps of a thirteenth of a frame, VP8 gave 116 Kbps of 1500. Nothing is lost with whole
 * frames where these come evenly.
 */
function clocked({ timing }: Picture, { countsSteps }: VideoEncoder, { version }: Abilities): Timing {
  const isMisled = countsSteps === true && version !== null && version < 6;
  if (!isMisled || timing.by !== 'own-times' || timing.clock.by !== 'part-frames') return timing;
  return { ...timing, clock: { by: 'frames' } };
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
