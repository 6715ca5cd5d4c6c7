import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { AudioCodec, VideoCodec } from '../codecs.js';
import {
  type AudioEncoderName,
  audioEncodersFor,
  type VideoEncoderName,
  videoEncoders,
  videoEncodersFor,
} from '../encoders.js';
import type { Capabilities } from '../plan-types.js';

/** The encoder of the ffmpeg at hand for an audio codec; null where it has none. */
export function pickAudioEncoder(
  codec: AudioCodec,
  capabilities: Capabilities,
): { readonly codec: AudioCodec; readonly encoder: AudioEncoderName } | null {
  const encoder = audioEncodersFor(codec).find((name) => capabilities.encoders.has(name));
  return encoder === undefined ? null : { codec, encoder };
}

/**
 * The encoder of the ffmpeg at hand for a video codec; null where it has none. For a bitrate one that can do two passes is
 * taken before a better one that cannot, since the bitrate is to be met.
 */
export function pickVideoEncoder(
  codec: VideoCodec,
  settings: OutputSettings,
  capabilities: Capabilities,
): { readonly codec: VideoCodec; readonly encoder: VideoEncoderName } | null {
  const available = videoEncodersFor(codec).filter((name) => capabilities.encoders.has(name));
  const inTwoPasses = available.find((name) => videoEncoders[name].passes !== 'none');
  const [first] = available;
  const encoder =
    settings.video_bitrate === undefined || settings.onepass === true ? first : (inTwoPasses ?? first);
  return encoder === undefined ? null : { codec, encoder };
}
