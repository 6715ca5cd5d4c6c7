import type { VideoDecision } from '../decide/decisions.js';
import type { VideoEncoderName } from '../encoders.js';

/** The arguments for keyframes, and parameters for an encoder that takes them (x265). */
interface KeyframeArgs {
  readonly args: readonly string[];
  readonly params: readonly string[];
}

/**
 * The arguments for fixed and forced keyframes of an encoder. `frames` is the maximum distance of two keyframes.
 *
 * Measured with 100 frames at 25 per second, two cuts, and ffmpeg 5.1, 7.0 and 2018: all encoders except Theora place
 * keyframes at exactly the requested frames. Theora ignores forced ones and keeps those at cuts. SVT-AV1 makes none at
 * cuts by default.
 */
export function keyframeArgs({ encoder, keyframes }: VideoDecision, frames: string): KeyframeArgs {
  const { isFixed, everyFrames, perSecond } = keyframes;
  const hasForced = encoder !== 'libtheora' && (everyFrames !== null || perSecond.length > 0);
  const fixed = isFixed ? fixedArgs[encoder](frames, hasForced) : none;
  if (!hasForced) return fixed;
  const conditions = [
    ...(everyFrames === null ? [] : [`eq(mod(n,${everyFrames}),0)`]),
    ...perSecond.map(periodStarts),
  ];
  return {
    args: [
      ...fixed.args,
      ...['-force_key_frames', `expr:${conditions.join('+')}`],
      ...(idrEncoders.has(encoder) ? ['-forced-idr', '1'] : []),
    ],
    params: fixed.params,
  };
}

const none: KeyframeArgs = { args: [], params: [] };

/** Encoders that make a forced keyframe an I-frame without this option, where decoding cannot start. */
const idrEncoders: ReadonlySet<VideoEncoderName> = new Set(['libx264', 'libx265']);

const sameMinimum = (frames: string): KeyframeArgs => ({ args: ['-keyint_min', frames], params: [] });

/** A threshold that no cut reaches: these encoders have no other way to switch keyframes at cuts off. */
const withoutCutKeyframes = (): KeyframeArgs => ({ args: ['-sc_threshold', '1000000000'], params: [] });

/** No keyframes at cuts. With forced keyframes, x264 and x265 get no minimum distance. */
const fixedArgs: Readonly<Record<VideoEncoderName, (frames: string, hasForced: boolean) => KeyframeArgs>> = {
  libx264: (frames, hasForced) => ({
    args: [...(hasForced ? [] : ['-keyint_min', frames]), '-sc_threshold', '0'],
    params: [],
  }),
  libx265: (frames, hasForced) => ({
    args: [],
    params: [...(hasForced ? [] : [`min-keyint=${frames}`]), 'scenecut=0'],
  }),
  libvpx: sameMinimum,
  'libvpx-vp9': sameMinimum,
  'libaom-av1': sameMinimum,
  libsvtav1: () => none,
  libtheora: () => none,
  mpeg4: withoutCutKeyframes,
  wmv2: withoutCutKeyframes,
};

/** Times in files are rounded to a millisecond at most. */
const toleranceSeconds = 0.001;

/**
 * True for the first frame of each period. The number of the period is compared instead of counting keyframes (n_forced), because
 * after a gap of several periods a count would make each following frame a keyframe until it has caught up.
 */
function periodStarts(perSecond: number): string {
  const period = (time: string) => `floor((${time}+${toleranceSeconds})*${perSecond})`;
  return `if(isnan(prev_forced_t),1,gt(${period('t')},${period('prev_forced_t')}))`;
}
