import type { VideoDecision } from '../decide/decisions.js';
import { videoEncoders } from '../encoders.js';

/** The options of the encoder: profile, level, reference frames, B-frames and tuning. */
export function codecOptionArgs({ codecOptions, encoder }: VideoDecision): readonly string[] {
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
export function optionParams({
  codecOptions,
  encoder,
  rate,
  cap,
  signalling,
}: VideoDecision): readonly string[] {
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

/** The arguments of a constant bitrate, which is its own cap, except those of x265. */
export function constantRateArgs({ encoder, rate, cap }: VideoDecision): readonly string[] {
  if (!isConstant(rate) || cap === null || encoder === 'libx265') return [];
  const kbps = `${rate.kbps}k`;
  return ['-minrate', kbps, '-maxrate', kbps, '-bufsize', `${cap.bufferKilobits}k`];
}

function isConstant(rate: VideoDecision['rate']): rate is Extract<VideoDecision['rate'], { by: 'bitrate' }> {
  return rate.by === 'bitrate' && rate.isConstant === true;
}
