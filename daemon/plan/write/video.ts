import type { VideoDecision } from '../decide/decisions.js';
import { atLevel, keepsClosedCaptions, type VideoEncoder, videoEncoders } from '../encoders.js';
import type { Container } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import { codecOptionArgs, constantRateArgs, optionParams } from './codec-options.js';
import { colourArgs } from './frame-filters.js';
import { keyframeArgs } from './keyframes.js';
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
 * Keyframes, passes, tiles and uneven frames. ffmpeg does not support the passes of x265, and builds of 2018 do not support its
 * keyframe interval, so for x265 all of these are encoder parameters.
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
 * Parameters for the rate of frames whose time base is another one. By default ffmpeg passes the time base instead, or the lowest rate
 * that fits all times: x265 gave 52 Kbps of 150 and SVT-AV1 119 of 300, for 21 frames per second between 12 and 30. x264 writes the time
 * base of evenly spaced frames into the stream: a film of 24 frames per second said 312.
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
