import type { Ratio } from '../../jobs/media.js';
import type { FrameDropRule, HeldFrame, LastFrame, Timing, VideoDecision } from '../decide/decisions.js';
import { frameFraction, partsPerFrame } from '../decide/timing.js';
import { type VideoEncoder, videoEncoders } from '../encoders.js';
import type { Capabilities } from '../plan-types.js';
import { secondsArgument } from './input.js';
import { assumedFramesPerSecond } from './rate.js';

/**
 * The filters that select the frames of an output. The option `-r` of ffmpeg is less exact: it keeps frames until they
 * are more than one frame early, so at 10 frames per second the video is a tenth of a second ahead of the audio.
 *
 * `skipSeconds` is the duration that is read before the clip: the first frame of the clip is the first of a constant
 * rate.
 */
export function timingFilters(timing: Timing, skipSeconds: number): readonly string[] {
  const filters =
    timing.by === 'constant-rate' ? [`fps=${fraction(timing.rate)}`] : timing.dropRules.map(selectFilter);
  const grid = timing.gridRate === undefined ? [] : gridFilters(timing.gridRate);
  const held = timing.heldFrame === undefined ? [] : heldFrameFilters(timing.heldFrame, skipSeconds);
  // Of counted frames, the last ones may be dropped.
  const isCounted = timing.by === 'source-timestamps' && timing.dropRules.some(({ by }) => by === 'count');
  const end = secondsArgument(skipSeconds + (timing.heldFrame?.endSeconds ?? 0));
  // At a constant rate, the last frame would be repeated for as long as the filter took for its time.
  const ending = timing.by === 'constant-rate' && held.length > 0 ? [`trim=end=${end}`] : [];
  const [first, last] = isCounted ? [[], held] : [held, ending];
  if (skipSeconds === 0 || filters.length === 0) return [...first, ...grid, ...filters, ...last];
  const microseconds = Math.round(skipSeconds * 1e6);
  const shift = (sign: '+' | '-') => ['settb=AVTB', `setpts=PTS${sign}${microseconds}`];
  const trim = `trim=start=${secondsArgument(skipSeconds)}`;
  return [...first, ...grid, trim, ...shift('-'), ...filters, ...shift('+'), ...last];
}

/**
 * Repeats the last frame twice, at the end of its time. ffmpeg, and players that read segments, take the distance of
 * the last two frames for the duration of the last one. By default the filter repeats it where it ends according to
 * ffmpeg, which differs by build.
 */
function heldFrameFilters(held: HeldFrame, skipSeconds: number): readonly string[] {
  const { startSeconds, endSeconds, frameSeconds } = held;
  const after = secondsArgument(skipSeconds + startSeconds + 0.0005);
  const end = secondsArgument(skipSeconds + endSeconds);
  const frame = secondsArgument(frameSeconds);
  const repeated = String.raw`(${end}-${frame}*(1+lte(PREV_OUTT\,${after})))/TB`;
  return ['tpad=stop=2:stop_mode=clone', String.raw`setpts=if(gt(T\,${after})\,${repeated}\,PTS)`];
}

/** Moves each frame to the nearest multiple of a frame after the first one. */
function gridFilters(rate: Ratio): readonly string[] {
  const parts = partsPerFrame(rate);
  return [
    `settb=${fraction(frameFraction(rate))}`,
    `setpts=floor((PTS-STARTPTS)/${parts}+0.5)*${parts}+STARTPTS`,
  ];
}

/** Selects one frame for each integer passed: of frame numbers divided by N, or of ticks of the maximum rate. */
function selectFilter(rule: FrameDropRule): string {
  if (rule.by === 'count') return `select=gt(floor(n/${rule.oneOf})\\,floor((n-1)/${rule.oneOf}))`;
  const timestamp = (time: string) => `floor(${time}*${fraction(rule.maxRate)}+0.5)`;
  return `select=isnan(prev_selected_t)+gt(${timestamp('t')}\\,${timestamp('prev_selected_t')})`;
}

/**
 * Uneven timestamps are kept to 1/90000 of a second, the clock of MPEG, if the build supports it. By default ffmpeg
 * would move every frame to the nearest multiple of the average rate, and drop frames that collide.
 */
export function timingArgs(timing: Timing, { hasFpsMode }: Capabilities): readonly string[] {
  const mode = hasFpsMode ? '-fps_mode' : '-vsync';
  // A late start is filled with the first frame, because Theora cannot start late. The rate is repeated here, because
  // since ffmpeg 7.0 it is unknown after the filter setpts, and ffmpeg then duplicates frames up to the rate of the
  // input. Builds of 2018 would then repeat a frame that was displayed for long in the input as often again.
  if (timing.by === 'constant-rate') {
    const isRepeated = timing.heldFrame !== undefined && !hasFpsMode;
    return [mode, isRepeated ? 'vfr' : 'cfr', '-r:v', fraction(timing.rate)];
  }
  const { clock, gridRate } = timing;
  // Older builds cut off the end of a video with gaps that has B-frames, as below.
  const wholeFrames =
    gridRate === undefined
      ? []
      : [...timeBase(gridRate.denominator, gridRate.numerator), ...(hasFpsMode ? [] : ['-bf', '0'])];
  switch (clock.by) {
    case 'frames':
      return [mode, 'vfr', ...wholeFrames];
    case 'frame-fractions':
      if (hasFpsMode) return [mode, 'vfr', ...timeBase(clock.step.numerator, clock.step.denominator)];
      // Older builds give the last frame a duration of one tick, so they get whole frames.
      return [mode, 'vfr', ...wholeFrames];
    case 'counted':
      return [mode, 'vfr', ...timeBase(1, clock.perSecond), ...(hasFpsMode ? [] : ['-bf', '0'])];
    case 'fine':
      if (hasFpsMode) return [mode, 'vfr', ...timeBase(1, 90_000)];
      // Older builds end the edit list of MP4 one tick after the last frame is decoded, minus a millisecond. With finer
      // ticks, or with frames that are displayed later than they are decoded, the last frames would be cut off.
      return [mode, 'vfr', ...timeBase(1, 500), '-bf', '0'];
  }
}

// Without ":v" it would also apply to the audio, and most of that would be lost.
function timeBase(numerator: number, denominator: number): readonly string[] {
  return ['-enc_time_base:v', `${numerator}:${denominator}`];
}

function fraction({ numerator, denominator }: Ratio): string {
  return `${numerator}/${denominator}`;
}

/**
 * Sets the duration of the last frame by extending every frame to the end: MP4 and MOV use only the duration of the
 * last frame. Measured: a video of 12 s whose last frame is displayed for 10 s came out with 3 s without this, and with
 * 12 s with it. Builds of 2018 have no such filter. In Matroska the duration came out 90 times too long.
 */
export function lastFrameArgs(lastFrame: LastFrame | null, { hasFpsMode }: Capabilities): readonly string[] {
  if (lastFrame === null || !hasFpsMode) return [];
  const remainingSeconds = `${secondsArgument(lastFrame.endSeconds)}/TB-PTS`;
  return ['-bsf:v', `setts=pts=PTS:dts=DTS:duration=max(1\\,${remainingSeconds})`];
}

/**
 * Sets the duration of evenly spaced frames, of which MP4 needs that of the last one. ffmpeg 7.0 loses it in the filter
 * setpts, and the last frame would last one tick.
 */
export function frameDurationArgs(video: VideoDecision, capabilities: Capabilities): readonly string[] {
  const { version, hasFpsMode } = capabilities;
  const timing = encoderTiming(video, videoEncoders[video.encoder], capabilities);
  if (timing.by !== 'source-timestamps' || timing.gridRate === undefined) return [];
  if (version === null ? !hasFpsMode : version < 6) return [];
  const ticks = timing.clock.by === 'frame-fractions' ? partsPerFrame(timing.gridRate) : 1;
  return ['-bsf:v', `setts=pts=PTS:dts=DTS:duration=${ticks}`];
}

/*
 * Up to 5.1, ffmpeg passes one tick of the time base as the duration of every frame to libvpx and libaom. In one pass
 * they use the time between frames instead. In two passes, the first pass sums up the durations, and the second
 * distributes the bitrate over the sum: with ticks of 1/90000 of a second, VP8 gave 34 Kbps of 300. So the bitrate is
 * multiplied by the number of ticks per frame. VP9 exceeds the target if there are many: four seconds of noise at 21
 * uneven frames per second came out with 502 Kbps of 300 at 48 ticks per frame, 396 at 24, and 323 at 12.
 */

/**
 * Ticks per second for uneven frames. The minimum keeps frames within two milliseconds of their times; high frame rates
 * get twelve ticks per frame.
 */
const tickRange = { min: 250, max: 1000, perFrame: 12 } as const;
/** Maximum bitrate for libvpx: it counts the bits of some seconds in 32 bits. */
const maxSafeKbps = 200_000;

/** The timing with a time base that the encoder supports. Whole frames lose nothing if they are evenly spaced. */
export function encoderTiming(
  video: VideoDecision,
  encoder: VideoEncoder,
  capabilities: Capabilities,
): Timing {
  const { timing, framesPerSecond } = video;
  if (!isRateMisread(encoder, capabilities) || timing.by !== 'source-timestamps') return timing;
  switch (timing.clock.by) {
    case 'frames':
    case 'counted':
      return timing;
    case 'frame-fractions':
      return { ...timing, clock: { by: 'frames' } };
    case 'fine': {
      const rate = framesPerSecond ?? assumedFramesPerSecond;
      const wantedTicks = Math.min(
        tickRange.max,
        Math.max(tickRange.min, Math.ceil(rate * tickRange.perFrame)),
      );
      const max = (maxSafeKbps * rate) / encoderKbps(video);
      const perSecond = Math.floor(Math.max(rate * 2, Math.min(wantedTicks, max)));
      return { ...timing, clock: { by: 'counted', perSecond } };
    }
  }
}

/** The average number of ticks per frame, for an encoder that takes a tick for a frame; 1 for other encoders. */
export function ticksPerFrame(timing: Timing, { framesPerSecond }: VideoDecision): number {
  if (timing.by !== 'source-timestamps' || timing.clock.by !== 'counted') return 1;
  return timing.clock.perSecond / (framesPerSecond ?? assumedFramesPerSecond);
}

function isRateMisread({ needsFixedTimeBase }: VideoEncoder, { version, hasFpsMode }: Capabilities): boolean {
  return needsFixedTimeBase === true && (version === null ? !hasFpsMode : version < 6);
}

function encoderKbps({ rate, cap }: VideoDecision): number {
  return Math.max(1, rate.by === 'bitrate' ? rate.kbps : 0, cap?.kbps ?? 0);
}
