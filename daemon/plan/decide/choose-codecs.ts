import type { OutputSettings } from '../../../src/shared/settings/index.js';
import {
  type AudioEncoderName,
  audioEncodersFor,
  type VideoEncoderName,
  videoEncoders,
  videoEncodersFor,
} from '../encoders.js';
import {
  type AudioCodec,
  audioCodecs,
  containerOf,
  type Extension,
  type VideoCodec,
  videoCodecs,
} from '../formats.js';
import type { Capabilities } from '../plan-types.js';

/** The extension for a random name: of the container that most players take these codecs in. */
export function suitableExtension(video: VideoCodec | null, audio: AudioCodec | null): Extension {
  if (video !== null) return videoCodecs[video].extension;
  return audio === null ? '.mp4' : audioCodecs[audio].extension;
}

/** The codecs of an output; null for what is left out. */
export interface CodecChoice {
  readonly video: VideoCodec | null;
  readonly audio: AudioCodec | null;
}

/** The codecs asked for, and where none is, those that the file name or the other one suggests. */
export function chooseCodecs(settings: OutputSettings, extension: Extension | null): CodecChoice {
  const container = extension === null ? null : containerOf(extension);
  const isAudioOnly =
    (settings.skip_video ?? false) ||
    (settings.video_codec === undefined && extension !== null && isAudioExtension(extension));
  const assumedVideoCodec = settings.video_codec ?? defaultVideoCodec(extension);
  const pairedAudioCodec = (container ?? containerOf(videoCodecs[assumedVideoCodec].extension)).codecPairs[
    assumedVideoCodec
  ]?.[0];
  // Without a picture the container's own first choice counts, unless a video codec was named all the same.
  const audioOnlyCodec =
    settings.video_codec === undefined
      ? (container?.audioOnlyCodecs[0] ?? pairedAudioCodec)
      : (pairedAudioCodec ?? container?.audioOnlyCodecs[0]);
  const audio = settings.audio_codec ?? (isAudioOnly ? audioOnlyCodec : pairedAudioCodec) ?? 'aac';
  return {
    video: isAudioOnly ? null : assumedVideoCodec,
    audio: (settings.skip_audio ?? false) ? null : audio,
  };
}

function defaultVideoCodec(extension: Extension | null): VideoCodec {
  if (extension === '.webm') return 'vp8';
  return extension === '.ogv' ? 'theora' : 'h264';
}

/** Names that mean sound alone, as long as no video codec is named: `.ogg` can have a picture too. */
function isAudioExtension(extension: Extension): boolean {
  return extension === '.ogg' || Object.keys(containerOf(extension).codecPairs).length === 0;
}

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
