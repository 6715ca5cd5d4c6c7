import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, MediaFacts, VideoFacts } from '../../jobs/media.js';
import { type AudioCodec, audioCodecs, type Container, type VideoCodec, videoCodecs } from '../formats.js';
import type { Clip, Copies } from './decisions.js';

/** The streams of an output: those of the input that it has at all, and the codec of its audio if that is encoded. */
interface StreamsToCopy {
  readonly video: VideoFacts | null;
  readonly audio: AudioFacts | null;
  readonly encodedVideo: VideoCodec | null;
  readonly encodedAudio: AudioCodec | null;
  readonly container: Container;
  readonly extension: string;
}

/**
 * Decides which streams are copied (`copy_video`, `copy_audio`). Null if none is. Fails if the container does not
 * support a stream of this codec.
 */
export function decideCopies(
  settings: OutputSettings,
  streams: StreamsToCopy,
  { format }: MediaFacts,
): { readonly copies: Copies | null } | { readonly failure: JobFailure } {
  const { container, extension } = streams;
  const video = settings.copy_video === true ? streams.video : null;
  const audio = settings.copy_audio === true ? streams.audio : null;
  if (video === null && audio === null) return { copies: null };
  const videoCodec = video === null ? streams.encodedVideo : video.codec;
  const audioCodec = audio === null ? streams.encodedAudio : audio.codec;
  const pairs =
    videoCodec !== null && isVideoCodec(videoCodec) ? container.codecPairs[videoCodec] : undefined;
  if (videoCodec !== null && pairs === undefined) return notSupported('video', videoCodec, extension);
  const copiedCodecs = audio === null ? [] : (container.copiedAudioCodecs ?? []);
  const supported: readonly string[] =
    videoCodec === null ? container.audioOnlyCodecs : [...(pairs ?? []), ...copiedCodecs];
  if (audioCodec !== null && !(isAudioCodec(audioCodec) && supported.includes(audioCodec)))
    return notSupported('audio', audioCodec, extension);
  const stripsAdts = audio?.codec === 'aac' && !/^(?:mpegts|adts)$/.test(container.muxer);
  const isTransportStream = container.muxer === 'mpegts' && /^(?:h264|hevc)$/.test(video?.codec ?? '');
  return {
    copies: {
      video,
      audio,
      stripsAdts: stripsAdts && /^(?:mpeg-ts|mpeg|aac)$/.test(format),
      repeatsParameterSets: isTransportStream && /^(?:mpeg4|matroska|webm|flv)$/.test(format),
    },
  };
}

function isVideoCodec(codec: string): codec is VideoCodec {
  return Object.hasOwn(videoCodecs, codec);
}

function isAudioCodec(codec: string): codec is AudioCodec {
  return Object.hasOwn(audioCodecs, codec);
}

function notSupported(
  stream: 'video' | 'audio',
  codec: string,
  extension: string,
): { readonly failure: JobFailure } {
  const message = `The ${stream} cannot be copied into ${extension}, which does not support ${codec} here.`;
  return { failure: { errorClass: 'InvalidCodecCombinationError', message } };
}

/** The clip of copied streams: it starts where ffmpeg finds a packet that can be decoded alone. */
export function clipOfCopies(clip: Clip, copies: Copies): Clip {
  const start = { readFromSeconds: clip.startSeconds, startsInFrame: false };
  // The keyframe before the start is at an unknown distance, so the duration is unknown.
  const isMoved = copies.video !== null && clip.startSeconds > 0;
  return { ...clip, ...start, ...(isMoved ? { expectedSeconds: null } : {}) };
}

/** What a clip of copied streams does not keep, one sentence each. */
export function copyWarnings(clip: Clip, copies: Copies): readonly string[] {
  if (clip.startSeconds === 0 && clip.lengthSeconds === null) return [];
  return copies.video === null
    ? ['The audio is copied, so the clip starts and ends at whole packets.']
    : [
        'The video is copied, so the clip starts at the keyframe at or before its start and ends at a whole frame.',
      ];
}
