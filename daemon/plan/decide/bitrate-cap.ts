import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { type VideoEncoder, videoEncoders } from '../encoders.js';
import type { VideoCodec } from '../formats.js';
import type { BitrateCap } from './decisions.js';

/** The codecs whose encoders can keep a bitrate constant. */
export const codecsWithConstantBitrate: readonly string[] = Object.values<VideoEncoder>(
  videoEncoders,
).flatMap(({ canBeConstant, codec }) => (canBeConstant === true ? [codec] : []));

/** Default of `buffer_size`: the duration of the buffer at the cap (contract, section 11). */
const bufferSeconds = 1.5;

/**
 * The average bitrate in Kbps to encode at: `video_bitrate`, at most `max_video_bitrate`; undefined without
 * `video_bitrate`.
 */
export function targetKbps({
  video_bitrate,
  max_video_bitrate = Number.POSITIVE_INFINITY,
}: Pick<OutputSettings, 'video_bitrate' | 'max_video_bitrate'>): number | undefined {
  return video_bitrate === undefined ? undefined : Math.min(video_bitrate, max_video_bitrate);
}

/** Whether the bitrate of the video is kept constant (`constant_bitrate`). */
export function hasConstantBitrate(
  { constant_bitrate, video_bitrate }: Pick<OutputSettings, 'constant_bitrate' | 'video_bitrate'>,
  codec: VideoCodec,
): boolean {
  return (
    constant_bitrate === true && video_bitrate !== undefined && codecsWithConstantBitrate.includes(codec)
  );
}

/**
 * The maximum bitrate (`bitrate_cap`) and its buffer; null if there is no cap. A constant bitrate is its own cap, with
 * a buffer of one second by default.
 */
export function decideCap(settings: OutputSettings, codec: VideoCodec): BitrateCap | null {
  const { bitrate_cap, buffer_size } = settings;
  const kbps = targetKbps(settings);
  if (kbps !== undefined && hasConstantBitrate(settings, codec))
    return { kbps, bufferKilobits: buffer_size ?? kbps };
  if (bitrate_cap === undefined) return null;
  return { kbps: bitrate_cap, bufferKilobits: buffer_size ?? Math.ceil(bitrate_cap * bufferSeconds) };
}
