import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { VideoEncoderName } from '../encoders.js';
import type { Capabilities } from '../plan-types.js';
import type { KeyframeDecision } from './decisions.js';
import type { TimingDecision } from './timing.js';

/** The settings that decide the keyframes. */
type KeyframeSettings = Pick<
  OutputSettings,
  | 'keyframe_interval'
  | 'keyframe_rate'
  | 'fixed_keyframe_interval'
  | 'forced_keyframe_interval'
  | 'forced_keyframe_rate'
  | 'prepare_for_segmenting'
>;

/** Maximum distance between two keyframes, in frames (section 8). */
const defaultKeyframeInterval = 250;

/** The frame rate assumed for an input without one. */
const assumedFramesPerSecond = 25;

/** Seconds between the boundaries of segments that are cut later. */
const segmentSeconds = { hls: 10, dash: 2, mss: 2 } as const;

/**
 * Decides which frames are keyframes. `keyframe_interval` takes precedence over `keyframe_rate`, and
 * `forced_keyframe_interval` over `forced_keyframe_rate`. A rate counts frames if they are evenly spaced; otherwise it
 * also forces a keyframe in each period. Segments begin at a keyframe, and encoders add none at cuts then, so that
 * segments of several outputs agree. `segmentGrids` are the lengths of the segments into which the file is cut, or a
 * copy of it, in seconds.
 */
export function decideKeyframes(
  settings: KeyframeSettings,
  { timing, framesPerSecond }: TimingDecision,
  segmentGrids: readonly number[] = [],
): KeyframeDecision {
  const { keyframe_interval, forced_keyframe_interval, prepare_for_segmenting: segments = [] } = settings;
  const keyframeRate = keyframe_interval === undefined ? settings.keyframe_rate : undefined;
  const forcedRate = forced_keyframe_interval === undefined ? settings.forced_keyframe_rate : undefined;
  const isUneven =
    timing.by === 'source-timestamps' && (timing.clock.by === 'fine' || timing.dropRules.length > 0);
  const framesPerKeyframe = (rate: number) =>
    Math.max(1, Math.round((framesPerSecond ?? assumedFramesPerSecond) / rate));
  const grids = withoutMultiples([...segmentGrids, ...segments.map((kind) => segmentSeconds[kind])]);
  return {
    maxDistance:
      keyframe_interval ??
      (keyframeRate === undefined ? defaultKeyframeInterval : framesPerKeyframe(keyframeRate)),
    isFixed: settings.fixed_keyframe_interval === true || grids.length > 0,
    everyFrames: forced_keyframe_interval ?? null,
    perSecond: [
      ...new Set([
        ...(keyframeRate !== undefined && isUneven ? [keyframeRate] : []),
        ...(forcedRate === undefined ? [] : [forcedRate]),
        ...grids.map((seconds) => 1 / seconds),
      ]),
    ],
  };
}

/**
 * The lengths of grids without those that are multiples of another one, because their keyframes are among those of the
 * finer grid.
 */
function withoutMultiples(grids: readonly number[]): readonly number[] {
  const isMultiple = (seconds: number, of: number) => seconds > of && Number.isInteger(seconds / of);
  return [...new Set(grids)].filter((seconds) => !grids.some((other) => isMultiple(seconds, other)));
}

/** The settings that force keyframes, as far as an output has them. */
export function forcingSettings(settings: OutputSettings): readonly (keyof KeyframeSettings)[] {
  return (['forced_keyframe_interval', 'forced_keyframe_rate', 'prepare_for_segmenting'] as const).filter(
    (name) => settings[name] !== undefined,
  );
}

/**
 * Whether an encoder places forced keyframes. ffmpeg passes them to SVT-AV1 only since 6.0: 5.1 made none of five, 7.0
 * made all.
 */
export function canForceKeyframes(
  encoder: VideoEncoderName,
  { version }: Pick<Capabilities, 'version'>,
): boolean {
  return encoder !== 'libsvtav1' || version === null || version >= 6;
}

/**
 * Whether two passes of an encoder lose forced keyframes. In its second pass, libvpx-vp9 ignored one of four keyframes,
 * a second apart, with ffmpeg 5.1 and 7.0, and two with the build of 2018; in one pass it made all.
 */
export function losesKeyframesInTwoPasses(
  { everyFrames, perSecond }: KeyframeDecision,
  encoder: VideoEncoderName,
): boolean {
  return encoder === 'libvpx-vp9' && (everyFrames !== null || perSecond.length > 0);
}
