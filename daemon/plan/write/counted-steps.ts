import type { Timing, VideoDecision } from '../decide/decisions.js';
import type { VideoEncoder } from '../encoders.js';
import type { Capabilities } from '../plan-types.js';
import { assumedFramesPerSecond } from './rate.js';

/*
 * Up to 5.1, ffmpeg tells libvpx and libaom that every frame lasts one step of the clock. In one pass they go by the time from frame to frame
 * all the same. In two, the first pass adds up how long the film is, and the bitrate is kept for that time: with steps of 1/90000 of a
 * second, VP8 gave 34 Kbps of 300. So they are told as many times more as there are steps to a frame. VP9 goes beyond that where
 * the steps are many: four seconds of noise at 21 uneven frames a second came out with 502 Kbps of 300 at 48 steps a frame, 396 at 24, and
 * 323 at 12.
 */

/** Steps a second that uneven frames are put to, within two milliseconds of their times: as few as do, and a dozen a frame where these are quick. */
const stepRange = { min: 250, max: 1000, perFrame: 12 } as const;
/** What libvpx is told at most: it counts the bits of some seconds in 32 digits. */
const maxSafeKbps = 200_000;

/** The times of a picture by the clock that its encoder can bear. Nothing is lost with whole frames where these come evenly. */
export function clocked(video: VideoDecision, encoder: VideoEncoder, capabilities: Capabilities): Timing {
  const { timing, framesPerSecond } = video;
  if (!isRateMisread(encoder, capabilities) || timing.by !== 'own-times') return timing;
  switch (timing.clock.by) {
    case 'frames':
    case 'counted':
      return timing;
    case 'part-frames':
      return { ...timing, clock: { by: 'frames' } };
    case 'fine': {
      const rate = framesPerSecond ?? assumedFramesPerSecond;
      const wantedSteps = Math.min(
        stepRange.max,
        Math.max(stepRange.min, Math.ceil(rate * stepRange.perFrame)),
      );
      const max = (maxSafeKbps * rate) / encoderKbps(video);
      const perSecond = Math.floor(Math.max(rate * 2, Math.min(wantedSteps, max)));
      return { ...timing, clock: { by: 'counted', perSecond } };
    }
  }
}

/** How many steps of its clock there are to a frame, on average, for an encoder that takes a step for a frame; 1 for others. */
export function stepsPerFrame(timing: Timing, { framesPerSecond }: VideoDecision): number {
  if (timing.by !== 'own-times' || timing.clock.by !== 'counted') return 1;
  return timing.clock.perSecond / (framesPerSecond ?? assumedFramesPerSecond);
}

function isRateMisread(
  { needsFixedTimeBase: countsSteps }: VideoEncoder,
  { version, hasFpsMode }: Capabilities,
): boolean {
  return countsSteps === true && (version === null ? !hasFpsMode : version < 6);
}

function encoderKbps({ rate, cap }: VideoDecision): number {
  return Math.max(1, rate.by === 'bitrate' ? rate.kbps : 0, cap?.kbps ?? 0);
}
