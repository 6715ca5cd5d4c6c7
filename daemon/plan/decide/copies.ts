import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, MediaFacts, VideoFacts } from '../../jobs/media.js';
import { type AudioCodec, audioCodecs, type Container, type VideoCodec, videoCodecs } from '../formats.js';
import type { Clip, CopiedVideo } from './decisions.js';
import { trackLabel } from './select-tracks.js';

/** The streams of an output: those of the input that it has at all, and the codecs of those that are encoded. */
interface StreamsToCopy {
  readonly video: VideoFacts | null;
  readonly audio: readonly AudioFacts[];
  readonly encodedVideo: VideoCodec | null;
  readonly encodedAudio: AudioCodec | null;
  readonly container: Container;
  readonly extension: string;
}

/** The streams that an output copies, and why others are not, one sentence each. */
interface Copies {
  readonly video: CopiedVideo | null;
  /** The tracks of audio, by the index of their stream. */
  readonly audio: ReadonlyMap<number, { readonly stripsAdts?: true }>;
  readonly warnings: readonly string[];
}

/**
 * Decides which streams are copied (`copy_video`, `copy_audio`). Fails if the container does not support the video, or
 * the first track of audio. Further tracks that it does not support are encoded.
 */
export function decideCopies(
  settings: OutputSettings,
  streams: StreamsToCopy,
  media: MediaFacts,
): Copies | { readonly failure: JobFailure } {
  const { format } = media;
  const { container, extension } = streams;
  const video = settings.copy_video === true ? streams.video : null;
  const [first, ...others] = settings.copy_audio === true ? streams.audio : [];
  if (video === null && first === undefined) return { video: null, audio: new Map(), warnings: [] };
  const videoCodec = video === null ? streams.encodedVideo : video.codec;
  const pairs =
    videoCodec !== null && isVideoCodec(videoCodec) ? container.codecPairs[videoCodec] : undefined;
  if (videoCodec !== null && pairs === undefined) return notSupported('video', videoCodec, extension);
  const copiedCodecs = first === undefined ? [] : (container.copiedAudioCodecs ?? []);
  const supported: readonly string[] =
    videoCodec === null ? container.audioOnlyCodecs : [...(pairs ?? []), ...copiedCodecs];
  const isSupported = (codec: string) => isAudioCodec(codec) && supported.includes(codec);
  const firstCodec = first === undefined ? streams.encodedAudio : first.codec;
  if (firstCodec !== null && !isSupported(firstCodec)) return notSupported('audio', firstCodec, extension);
  const copied = [
    ...(first === undefined ? [] : [first]),
    ...others.filter(({ codec }) => isSupported(codec)),
  ];
  const isFromMpeg = /^(?:mpeg-ts|mpeg|aac)$/.test(format) && !/^(?:mpegts|adts)$/.test(container.muxer);
  const isTransportStream = container.muxer === 'mpegts' && /^(?:h264|hevc)$/.test(video?.codec ?? '');
  return {
    video: video && {
      source: video,
      repeatsParameterSets: isTransportStream && /^(?:mpeg4|matroska|webm|flv)$/.test(format),
      ...(media.timecode === undefined ? {} : { dropsTimecode: true }),
    },
    audio: new Map(
      copied.map(({ streamIndex, codec }) => [
        streamIndex,
        isFromMpeg && codec === 'aac' ? { stripsAdts: true } : {},
      ]),
    ),
    warnings: others
      .filter((track) => !copied.includes(track))
      .map(
        (track) =>
          `Audio track ${trackLabel(track, media)} is encoded: ${extension} does not support a copy of ${track.codec} here.`,
      ),
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
export function clipOfCopies(clip: Clip): Clip {
  const start = { readFromSeconds: clip.startSeconds, startsInFrame: false };
  // The keyframe before the start is at an unknown distance, so the duration is unknown.
  return { ...clip, ...start, ...(clip.startSeconds > 0 ? { expectedSeconds: null } : {}) };
}

/** What a clip of copied streams does not keep, one sentence each. */
export function copyWarnings(clip: Clip, { video, audio }: Copies): readonly string[] {
  if ((clip.startSeconds === 0 && clip.lengthSeconds === null) || (video === null && audio.size === 0))
    return [];
  return video === null
    ? ['The audio is copied, so the clip starts and ends at whole packets.']
    : [
        'The video is copied, so the clip starts at the keyframe at or before its start and ends at a whole frame.',
      ];
}
