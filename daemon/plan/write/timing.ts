import type { Ratio } from '../../jobs/media.js';
import type { LastFrame, Thinning, Timing, VideoDecision } from '../decide/decisions.js';
import type { VideoEncoder } from '../encoders.js';
import type { Capabilities } from '../plan-types.js';
import { secondsArgument } from './input.js';
import { assumedFramesPerSecond } from './rate.js';

/**
 * The filters that make the frames of an output out of those of the input. ffmpeg's own `-r` does it worse: it lets frames pass until they
 * are more than a whole one ahead of their time, so that at 10 frames a second the picture runs ahead of the sound by a tenth.
 *
 * `skipSeconds` is how much of what is read stands before the clip: its first frame is the first of the even ones.
 */
export function timingFilters(timing: Timing, skipSeconds: number): readonly string[] {
  const filters =
    timing.by === 'even-rate' ? [`fps=${fraction(timing.rate)}`] : timing.thinning.map(thinning);
  if (skipSeconds === 0 || filters.length === 0) return filters;
  const microseconds = Math.round(skipSeconds * 1e6);
  const moved = (sign: '+' | '-') => ['settb=AVTB', `setpts=PTS${sign}${microseconds}`];
  return [`trim=start=${secondsArgument(skipSeconds)}`, ...moved('-'), ...filters, ...moved('+')];
}

/** One frame for each whole number that is passed: of frames divided by a number, or of moments of the greatest rate. */
function thinning(rule: Thinning): string {
  if (rule.by === 'count') return `select=gt(floor(n/${rule.oneOf})\\,floor((n-1)/${rule.oneOf}))`;
  const timestamp = (time: string) => `floor(${time}*${fraction(rule.maxRate)}+0.5)`;
  return `select=isnan(prev_selected_t)+gt(${timestamp('t')}\\,${timestamp('prev_selected_t')})`;
}

/**
 * Uneven times are kept to 1/90000 of a second, the clock of MPEG, where the build can do it: by itself ffmpeg would move every frame to the nearest beat of
 * the average rate, and drop those that meet there.
 */
export function timingArgs(timing: Timing, { hasFpsMode }: Capabilities): readonly string[] {
  const mode = hasFpsMode ? '-fps_mode' : '-vsync';
  // Frames before a late beginning are filled with the first frame, because Theora cannot begin late. The rate is named again, because since
  // ffmpeg 7.0 it is unknown after the filter setpts, and ffmpeg then repeats frames up to the rate of the input.
  if (timing.by === 'even-rate') return [mode, 'cfr', '-r:v', fraction(timing.rate)];
  const { clock } = timing;
  switch (clock.by) {
    case 'frames':
      return [mode, 'vfr'];
    case 'part-frames':
      if (hasFpsMode) return [mode, 'vfr', ...timeBase(clock.step.numerator, clock.step.denominator)];
      // Older builds make the last frame last for one step alone, so they get whole frames; and their edit lists, as below,
      // would cut off the last half second of a screen that seldom changes.
      return clock.mayBeUneven ? [mode, 'vfr', '-bf', '0'] : [mode, 'vfr'];
    case 'counted':
      return [mode, 'vfr', ...timeBase(1, clock.perSecond), ...(hasFpsMode ? [] : ['-bf', '0'])];
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

function fraction({ numerator, denominator }: Ratio): string {
  return `${numerator}/${denominator}`;
}

/**
 * Makes the last frame last as long as it should, by making every frame last to the end: MP4 and MOV use no other frame's length than that of
 * the last. Measured: a film of 12 s whose last frame stays for 10 came out with 3 s before, and with 12 s so. Builds of 2018
 * know no way to say it. In Matroska it came out 90 times as long.
 */
export function lastFrameArgs(lastFrame: LastFrame | null, { hasFpsMode }: Capabilities): readonly string[] {
  if (lastFrame === null || !hasFpsMode) return [];
  const remainingSeconds = `${secondsArgument(lastFrame.endSeconds)}/TB-PTS`;
  return ['-bsf:v', `setts=pts=PTS:dts=DTS:duration=max(1\\,${remainingSeconds})`];
}

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
