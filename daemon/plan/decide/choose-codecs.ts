import { audioExtensions, videoExtensions } from '../../../src/shared/settings/general.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { hasTargetBitrate } from '../../../src/shared/settings/video.js';
import { type AudioEncoderName, audioEncodersFor } from '../audio-encoders.js';
import { type VideoEncoderName, videoEncoders, videoEncodersFor } from '../encoders.js';
import { type AudioCodec, containerOf, type Extension, type VideoCodec } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import { encodesRequest } from './codec-options.js';
import { isPreferredForHdr } from './hdr.js';
import { canForceKeyframes, forcingSettings } from './keyframes.js';

/** The extension for a generated file name: the container of these codecs with the widest player support. */
export function suitableExtension(video: VideoCodec | null, audio: AudioCodec | null): Extension {
  if (video !== null) return videoExtensions[video];
  return audio === null ? '.mp4' : audioExtensions[audio];
}

/** The codecs of an output; null for a stream that it does not have. */
export interface CodecChoice {
  readonly video: VideoCodec | null;
  readonly audio: AudioCodec | null;
}

/** Returns the requested codecs. A missing one is derived from the file name or from the other codec. */
export function chooseCodecs(settings: OutputSettings, extension: Extension | null): CodecChoice {
  const isAudioOnly =
    (settings.skip_video ?? false) ||
    (settings.video_codec === undefined && extension !== null && isAudioExtension(extension));
  const assumedVideoCodec = settings.video_codec ?? defaultVideoCodec(extension);
  const container = containerOf(extension ?? videoExtensions[assumedVideoCodec]);
  const pairedAudioCodec = container.codecPairs[assumedVideoCodec]?.[0];
  const ownCodecs = extension === null ? [] : container.audioOnlyCodecs;
  // Without video, use the default of the container, unless a video codec is set nevertheless.
  const audioOnlyCodec =
    settings.video_codec === undefined
      ? (ownCodecs[0] ?? pairedAudioCodec)
      : (pairedAudioCodec ?? ownCodecs[0]);
  const defaultAudioCodec = container.animation === undefined ? 'aac' : null;
  const audio =
    settings.audio_codec ?? (isAudioOnly ? audioOnlyCodec : pairedAudioCodec) ?? defaultAudioCodec;
  return {
    video: isAudioOnly ? null : assumedVideoCodec,
    audio: (settings.skip_audio ?? false) ? null : audio,
  };
}

function defaultVideoCodec(extension: Extension | null): VideoCodec {
  if (extension === '.webm') return 'vp8';
  if (extension === '.wmv') return 'wmv';
  if (extension === '.gif') return 'gif';
  if (extension === '.webp') return 'webp';
  return extension !== null && containerOf(extension).muxer === 'ogg' ? 'theora' : 'h264';
}

/** Whether files with an extension have only audio. */
function isAudioExtension(extension: Extension): boolean {
  return Object.keys(containerOf(extension).codecPairs).length === 0;
}

/** The encoder for an audio codec; null if this ffmpeg has none. */
export function pickAudioEncoder(
  codec: AudioCodec,
  capabilities: Capabilities,
): { readonly codec: AudioCodec; readonly encoder: AudioEncoderName } | null {
  const encoder = audioEncodersFor(codec).find((name) => capabilities.encoders.has(name));
  return encoder === undefined ? null : { codec, encoder };
}

/**
 * The encoder for a video codec; null if this ffmpeg has none. For a bitrate, an encoder with two passes is preferred
 * over a better one without, because the bitrate must be met; for forced keyframes, one that places them; for HDR, one
 * that writes its metadata.
 */
export function pickVideoEncoder(
  codec: VideoCodec,
  settings: OutputSettings,
  capabilities: Capabilities,
): { readonly codec: VideoCodec; readonly encoder: VideoEncoderName } | null {
  const existing = videoEncodersFor(codec).filter(
    (name) => capabilities.encoders.has(name) && encodesRequest(name, codec, settings),
  );
  const forcing = existing.filter((name) => canForceKeyframes(name, capabilities));
  const available = forcingSettings(settings).length > 0 && forcing.length > 0 ? forcing : existing;
  const inTwoPasses = available.find((name) => videoEncoders[name].passes !== 'none');
  const [first] = available;
  const preferred = available.find((name) => isPreferredForHdr(name, settings));
  if (preferred !== undefined) return { codec, encoder: preferred };
  const encoder = !hasTargetBitrate(settings) || settings.onepass === true ? first : (inTwoPasses ?? first);
  return encoder === undefined ? null : { codec, encoder };
}
