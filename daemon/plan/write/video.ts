import type { Chromaticity, MasteringDisplay } from '../../jobs/media.js';
import type { VideoDecision } from '../decide/decisions.js';
import {
  atLevel,
  keepsClosedCaptions,
  levelOf,
  type VideoEncoder,
  type VideoEncoderName,
  videoEncoders,
} from '../encoders.js';
import type { Container } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import { colourArgs } from './frame-filters.js';
import { assumedFramesPerSecond, rateArgs } from './rate.js';
import { encoderTiming, ticksPerFrame, timingArgs } from './timing.js';

/** Which of two passes a run is, and where the first one writes its log for the second. */
export interface Pass {
  readonly number: 1 | 2;
  /** Path without an extension; the encoder adds its own. */
  readonly log: string;
  /** The same, relative to the working directory of the steps. */
  readonly logName: string;
}

/** The arguments of the video encoder. `pass` is null for a single pass. */
export function videoArgs(
  video: VideoDecision,
  container: Container,
  pass: Pass | null,
  capabilities: Capabilities,
): readonly string[] {
  const encoder: VideoEncoder = videoEncoders[video.encoder];
  const timing = encoderTiming(video, encoder, capabilities);
  if (encoder.isAnimation) {
    const { level } = video.rate.by === 'quality' ? video.rate : { level: levelOf(undefined) };
    return [
      ...[...timingArgs(timing, capabilities), '-c:v', video.encoder],
      ...[...atLevel(encoder.speed, video.speed), ...atLevel(encoder.quality, level)],
      ...['-loop', '0'],
    ];
  }
  return [
    ...timingArgs(timing, capabilities),
    '-c:v',
    video.encoder,
    ...atLevel(encoder.speed, video.speed),
    ...(encoder.always ?? []),
    ...rateArgs(video, encoder, pass === null ? 1 : ticksPerFrame(timing, video)),
    ...constantRateArgs(video),
    ...groupArgs(video, encoder, pass),
    ...codecOptionArgs(video),
    ...(video.signalling.dropsCaptions && keepsClosedCaptions(video.encoder, capabilities)
      ? ['-a53cc', '0']
      : []),
    ...colourArgs(video),
    ...(encoder.codec === 'hevc' && (container.needsHvc1Tag ?? false) ? ['-tag:v', 'hvc1'] : []),
  ];
}

/**
 * Keyframes, passes, tiles and uneven frames. ffmpeg does not support the passes of x265, and builds of 2018 do not
 * support its keyframe interval, so for x265 all of these are encoder parameters.
 */
function groupArgs(video: VideoDecision, encoder: VideoEncoder, pass: Pass | null): readonly string[] {
  const frames = String(keyframeInterval(video, encoder));
  const { params, passes } = encoder;
  const fieldParams = video.signalling.declaresFields ? ['fake-interlaced=1'] : [];
  const encoderParams = [
    ...fieldParams,
    ...rateParams(video, encoder),
    ...tileArgs(video, encoder),
    ...optionParams(video),
    ...hdrParams(video),
  ];
  const keyframes = keyframeArgs(video, frames);
  if (passes === 'x265') {
    // Parameters are separated by colons, and a path may contain one, so only the name is passed.
    const passParams = pass === null ? [] : [`pass=${pass.number}`, `stats=${pass.logName}.log`];
    const allParams = [`keyint=${frames}`, ...keyframes.params, ...encoderParams, ...passParams];
    return [...paramArgs(params, allParams), ...keyframes.args];
  }
  const passArgs = pass === null ? [] : ['-pass', String(pass.number), '-passlogfile', pass.log];
  return [
    '-g',
    frames,
    ...keyframes.args,
    ...(params === undefined ? encoderParams : paramArgs(params, encoderParams)),
    ...passArgs,
  ];
}

function paramArgs(params: VideoEncoder['params'], encoderParams: readonly string[]): readonly string[] {
  const paramList = [...encoderParams, ...(params?.always ?? [])];
  return params === undefined || paramList.length === 0 ? [] : [params.option, paramList.join(':')];
}

/** Minimum widths for tile columns, with the number of columns as a power of two. */
const tiles = [
  { fromWidth: 3840, log2: 3 },
  { fromWidth: 1280, log2: 2 },
] as const;

function tileArgs({ fit }: VideoDecision, { tileColumns }: VideoEncoder): readonly string[] {
  const found = tiles.find(({ fromWidth }) => fit.canvas.width >= fromWidth);
  return found === undefined ? [] : (tileColumns?.(found.log2) ?? []);
}

/**
 * Parameters for the rate of frames whose time base is another one. By default ffmpeg passes the time base instead, or
 * the lowest rate that fits all times: x265 gave 52 Kbps of 150 and SVT-AV1 119 of 300, for 21 frames per second
 * between 12 and 30. x264 writes the time base of evenly spaced frames into the stream: a film of 24 frames per second
 * said 312.
 */
function rateParams({ timing, framesPerSecond }: VideoDecision, encoder: VideoEncoder): readonly string[] {
  if (timing.by !== 'source-timestamps') return [];
  const { clock, gridRate } = timing;
  if (clock.by === 'frame-fractions' && gridRate !== undefined)
    return (encoder.evenFrameRate ?? encoder.frameRate)?.(gridRate) ?? [];
  if (gridRate !== undefined) return encoder.frameRate?.(gridRate) ?? [];
  if (clock.by !== 'fine' || framesPerSecond === null) return [];
  const numerator = Math.max(1, Math.round(framesPerSecond * 1000));
  return encoder.frameRate?.({ numerator, denominator: 1000 }) ?? [];
}

function keyframeInterval(
  { keyframes: { maxDistance }, cap, framesPerSecond }: VideoDecision,
  { underCap }: VideoEncoder,
): number {
  if (cap === null || underCap.keyframesPerBuffer === undefined) return maxDistance;
  const buffered = (cap.bufferKilobits / cap.kbps) * (framesPerSecond ?? assumedFramesPerSecond);
  return Math.min(maxDistance, Math.max(1, Math.floor(buffered / underCap.keyframesPerBuffer)));
}

/** The options of the encoder: profile, level, reference frames, B-frames and tuning. */
function codecOptionArgs({ codecOptions, encoder }: VideoDecision): readonly string[] {
  const { profile, level, referenceFrames, bframes, tune } = codecOptions;
  const isX265 = encoder === 'libx265';
  // The encoders of AV1 derive the profile from the pixel format.
  const isAv1 = videoEncoders[encoder].codec === 'av1';
  return [
    ...(profile === null || isAv1 ? [] : ['-profile:v', profile]),
    // x265 takes the rest as parameters: builds of 2018 do not pass these options on.
    ...(level === null || isX265 ? [] : ['-level:v', level]),
    ...(referenceFrames === null || isX265 ? [] : ['-refs', String(referenceFrames)]),
    ...(bframes === null || isX265 ? [] : ['-bf', String(bframes)]),
    ...(tune === null ? [] : ['-tune', tune]),
  ];
}

/** The same options as parameters of x265, and what a constant bitrate needs as a parameter. */
function optionParams({ codecOptions, encoder, rate, cap, signalling }: VideoDecision): readonly string[] {
  if (encoder === 'libx264' && isConstant(rate)) return ['nal-hrd=cbr'];
  if (encoder !== 'libx265') return [];
  const { level, referenceFrames, bframes } = codecOptions;
  return [
    ...(level === null ? [] : [`level-idc=${level}`, 'high-tier=0']),
    ...(referenceFrames === null ? [] : [`ref=${referenceFrames}`]),
    ...(bframes === null ? [] : [`bframes=${bframes}`]),
    // Builds of 2018 do not pass the range on.
    ...(signalling.isFullRange && signalling.hasColours ? ['range=full'] : []),
    ...(isConstant(rate) && cap !== null
      ? ['strict-cbr=1', `vbv-maxrate=${rate.kbps}`, `vbv-bufsize=${cap.bufferKilobits}`]
      : []),
  ];
}

/**
 * The parameters of x265 and SVT-AV1 for the mastering display and the light levels: x265 counts in steps of 0.00002 and
 * of 0.0001 nits, SVT-AV1 takes decimals and rounds to steps of 1/65536, of 1/256 nits for the brightest level, and of
 * 1/16384 for the darkest.
 */
function hdrParams({ encoder, hdr }: VideoDecision): readonly string[] {
  if (hdr === undefined || (encoder !== 'libx265' && encoder !== 'libsvtav1')) return [];
  const { mastering, lightLevels } = hdr;
  const isX265 = encoder === 'libx265';
  const steps = (value: number, stepsPerUnit: number) =>
    isX265 ? String(Math.round(value * stepsPerUnit)) : value.toFixed(8);
  const point = ({ x, y }: Chromaticity) => `(${steps(x, 50_000)},${steps(y, 50_000)})`;
  const levels = ({ min, max }: MasteringDisplay['luminance']) =>
    `(${steps(max, 10_000)},${steps(min, 10_000)})`;
  return [
    ...(mastering === null
      ? []
      : [
          `${isX265 ? 'master' : 'mastering'}-display=G${point(mastering.green)}B${point(mastering.blue)}R${point(mastering.red)}` +
            `WP${point(mastering.whitePoint)}L${levels(mastering.luminance)}`,
        ]),
    ...(lightLevels === null
      ? []
      : [`${isX265 ? 'max-cll' : 'content-light'}=${lightLevels.maxContent},${lightLevels.maxAverage}`]),
    // It switches this on itself, with a warning.
    ...(isX265 && (mastering !== null || lightLevels !== null) ? ['repeat-headers=1'] : []),
  ];
}

/** The arguments of a constant bitrate, which is its own cap, except those of x265. */
function constantRateArgs({ encoder, rate, cap }: VideoDecision): readonly string[] {
  if (!isConstant(rate) || cap === null || encoder === 'libx265') return [];
  const kbps = `${rate.kbps}k`;
  return ['-minrate', kbps, '-maxrate', kbps, '-bufsize', `${cap.bufferKilobits}k`];
}

function isConstant(rate: VideoDecision['rate']): rate is Extract<VideoDecision['rate'], { by: 'bitrate' }> {
  return rate.by === 'bitrate' && rate.isConstant === true;
}

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
function keyframeArgs({ encoder, keyframes }: VideoDecision, frames: string): KeyframeArgs {
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
  gif: () => none,
  libwebp_anim: () => none,
  libtheora: () => none,
  mpeg4: withoutCutKeyframes,
  wmv2: withoutCutKeyframes,
};

/** Times in files are rounded to a millisecond at most. */
const toleranceSeconds = 0.001;

/**
 * True for the first frame of each period. The number of the period is compared instead of counting keyframes
 * (n_forced), because after a gap of several periods a count would make each following frame a keyframe until it has
 * caught up.
 */
function periodStarts(perSecond: number): string {
  const period = (time: string) => `floor((${time}+${toleranceSeconds})*${perSecond})`;
  return `if(isnan(prev_forced_t),1,gt(${period('t')},${period('prev_forced_t')}))`;
}
