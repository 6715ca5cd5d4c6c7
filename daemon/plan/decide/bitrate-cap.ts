import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { VideoCodec } from '../formats.js';
import type { BitrateCap } from './decisions.js';

/** The codecs whose encoders can keep a bitrate constant. */
export const codecsWithConstantBitrate: readonly string[] = ['h264', 'hevc', 'vp8', 'vp9'];

/** Default of `buffer_size`: the duration of the buffer at the cap (contract, section 11). */
const bufferSeconds = 1.5;

/** Whether the bitrate of the video is kept constant (`constant_bitrate`). */
export function hasConstantBitrate(
  { constant_bitrate, video_bitrate }: OutputSettings,
  codec: VideoCodec,
): boolean {
  return (
    constant_bitrate === true && video_bitrate !== undefined && codecsWithConstantBitrate.includes(codec)
  );
}

/**
 * The maximum bitrate (`bitrate_cap`) and its buffer; null if there is no cap. A constant bitrate is its own cap, with a buffer of one
 * second by default.
 */
export function decideCap(settings: OutputSettings, codec: VideoCodec): BitrateCap | null {
  const { bitrate_cap, buffer_size, video_bitrate = 0, max_video_bitrate } = settings;
  if (hasConstantBitrate(settings, codec)) {
    const kbps = Math.min(video_bitrate, max_video_bitrate ?? Number.POSITIVE_INFINITY);
    return { kbps, bufferKilobits: buffer_size ?? kbps };
  }
  if (bitrate_cap === undefined) return null;
  return { kbps: bitrate_cap, bufferKilobits: buffer_size ?? Math.ceil(bitrate_cap * bufferSeconds) };
}
