import type { Container } from '../containers.js';
import type { Picture, Timing } from '../decide/decisions.js';
import { atLevel } from '../decide/level.js';
import { type VideoEncoder, videoEncoders } from '../encoders.js';
import type { Abilities } from '../plan-types.js';

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
    '-g',
    String(picture.keyframeInterval),
    ...(pass === null ? [] : passArgs(encoder, pass)),
    ...(encoder.codec === 'hevc' && (container.wantsHvc1 ?? false) ? ['-tag:v', 'hvc1'] : []),
  ];
}

function rateArgs({ rate, fit, framesPerSecond }: Picture, encoder: VideoEncoder): readonly string[] {
  if (rate.by === 'bitrate') return ['-b:v', `${rate.kbps}k`, ...(encoder.withBitrate ?? [])];
  const quality = atLevel(encoder.quality, rate.level);
  if (encoder.ceilingBitsPerPixel === undefined) return quality;
  const pixelsPerSecond = fit.canvas.width * fit.canvas.height * (framesPerSecond ?? likelyFramesPerSecond);
  const kbps = Math.ceil((pixelsPerSecond * atLevel(encoder.ceilingBitsPerPixel, rate.level)) / 1000);
  return [...quality, '-b:v', `${Math.max(kbps, leastCeilingKbps)}k`];
}

const likelyFramesPerSecond = 25;
/** A slide show has few pixels a second, and needs some bits for each slide all the same. */
const leastCeilingKbps = 100;

// ffmpeg knows nothing of x265's passes. Its parameters are parted by colons, which a path may hold as well: hence the name alone.
function passArgs(encoder: VideoEncoder, pass: Pass): readonly string[] {
  if (encoder.passes === 'x265') return ['-x265-params', `pass=${pass.number}:stats=${pass.logName}.log`];
  return ['-pass', String(pass.number), '-passlogfile', pass.log];
}

/**
 * Uneven times are kept to 1/90000 of a second, the clock of MPEG, where the build can do it: by itself ffmpeg would move every frame to the nearest beat of
 * the average rate, and drop those that meet there.
 */
function timingArgs(timing: Timing, { hasFpsMode }: Abilities): readonly string[] {
  const mode = hasFpsMode ? '-fps_mode' : '-vsync';
  if (timing.by === 'even-rate') {
    return [mode, 'cfr', '-r', `${timing.rate.numerator}/${timing.rate.denominator}`];
  }
  const { clock } = timing;
  switch (clock.by) {
    case 'frames':
      return [mode, 'vfr'];
    case 'part-frames':
      // Older builds make the last frame last for one step alone, so they get whole frames.
      return [mode, 'vfr', ...(hasFpsMode ? timeBase(clock.step.numerator, clock.step.denominator) : [])];
    case 'fine':
      if (hasFpsMode) return [mode, 'vfr', ...timeBase(1, 90_000)];
      // Older builds end the edit list of MP4 one step after the last frame is decoded, less a millisecond: with finer
      // steps, or with frames that are shown later than they are decoded, the last ones would be cut off.
      return [mode, 'vfr', ...timeBase(1, 500), '-bf', '0'];
  }
}

// Without ":v" it would be the clock of the sound as well, and most of that would be lost.
function timeBase(numerator: number, denominator: number): readonly string[] {
  return ['-enc_time_base:v', `${numerator}:${denominator}`];
}
