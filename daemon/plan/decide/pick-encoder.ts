import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { AudioCodec, VideoCodec } from '../codecs.js';
import {
  type AudioEncoderName,
  audioEncodersFor,
  type VideoEncoderName,
  videoEncoders,
  videoEncodersFor,
} from '../encoders.js';
import type { Abilities } from '../plan-types.js';

/** The encoder of the ffmpeg at hand for an audio codec; null where it has none. */
export function pickAudioEncoder(
  codec: AudioCodec,
  abilities: Abilities,
): { readonly codec: AudioCodec; readonly encoder: AudioEncoderName } | null {
  const encoder = audioEncodersFor(codec).find((name) => abilities.encoders.has(name));
  return encoder === undefined ? null : { codec, encoder };
}

/**
 * The encoder of the ffmpeg at hand for a video codec; null where it has none. For a bitrate one that can do two passes is
 * taken before a better one that cannot, since the bitrate is to be met.
 */
export function pickVideoEncoder(
  codec: VideoCodec,
  settings: OutputSettings,
  abilities: Abilities,
): { readonly codec: VideoCodec; readonly encoder: VideoEncoderName } | null {
  const there = videoEncodersFor(codec).filter((name) => abilities.encoders.has(name));
  const inTwoPasses = there.find((name) => videoEncoders[name].passes !== 'none');
  const [first] = there;
  const encoder =
    settings.video_bitrate === undefined || settings.onepass === true ? first : (inTwoPasses ?? first);
  return encoder === undefined ? null : { codec, encoder };
}
