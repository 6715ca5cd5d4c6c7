import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { isSegmented } from '../../../src/shared/settings/segments.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, MediaFacts, VideoFacts } from '../../jobs/media.js';
import { type AudioCodec, type Container, canCopy, type VideoCodec } from '../formats.js';
import type { Capabilities, CopyStart } from '../plan-types.js';
import { audioSettings, turnsOff, videoSettings } from '../stream-settings.js';
import type { AudioTrack, Clip, CopiedVideo, Metadata } from './decisions.js';
import { isDolbyVisionOnly } from './hdr.js';
import { hasTimecode } from './metadata.js';
import { trackLabel } from './select-tracks.js';

/** The streams of an output: those of the input that it has at all, and the codecs of those that are encoded. */
interface StreamsToCopy {
  readonly video: VideoFacts | null;
  readonly audio: readonly AudioFacts[];
  readonly encodedVideo: VideoCodec | null;
  readonly encodedAudio: AudioCodec | null;
  readonly container: Container;
  readonly extension: string;
  /** Whether the output may be only a part of the input. */
  readonly isClip: boolean;
}

/** The streams that an output copies, and why others are not, one sentence each. */
interface Copies {
  readonly video: CopiedVideo | null;
  /** The tracks of audio, by the index of their stream. */
  readonly audio: ReadonlyMap<number, { readonly stripsAdts?: true }>;
  readonly warnings: readonly string[];
}

/**
 * Decides which streams are copied (`copy_video`, `copy_audio`). A video, or a first track of audio, that the container
 * does not hold is encoded if the request has `copy`, and a failure otherwise. Further tracks are encoded.
 */
export function decideCopies(
  settings: OutputSettings,
  streams: StreamsToCopy,
  media: MediaFacts,
  capabilities: Pick<Capabilities, 'hasFpsMode' | 'version'>,
): Copies | { readonly failure: JobFailure } {
  const { format } = media;
  const { container, extension } = streams;
  const isOptional = settings.copy === true;
  const wantedVideo = settings.copy_video === true ? streams.video : null;
  const wantedAudio = settings.copy_audio === true ? streams.audio : [];
  const [first] = wantedAudio;
  const sized =
    isOptional && settings.copy_video === false && streams.video !== null && isSegmented(settings)
      ? ['The video is encoded and not copied: its settings, such as the height of a ladder, need that.']
      : [];
  if (wantedVideo === null && first === undefined) return { video: null, audio: new Map(), warnings: sized };
  // The header of FLAC, which is copied, has the number of samples and their checksum.
  const lacksClips = container.muxer === 'flac' && streams.isClip;
  const isHeld = (kind: 'video' | 'audio', codec: string | null | undefined) =>
    codec == null || (canCopy(container, kind, codec) && !lacksClips);
  const videoCodec = wantedVideo?.codec ?? streams.encodedVideo;
  const audioCodec = first?.codec ?? streams.encodedAudio;
  if (!isOptional && videoCodec !== null && !isHeld('video', videoCodec))
    return notSupported('video', videoCodec, extension);
  if (!isOptional && audioCodec !== null && !isHeld('audio', audioCodec))
    return notSupported('audio', audioCodec, extension);
  const video = isHeld('video', wantedVideo?.codec) ? wantedVideo : null;
  const audio = wantedAudio.filter(({ codec }) => isHeld('audio', codec));
  const dolbyVision =
    video === null ? noDolbyVision : copyOfDolbyVision(video, { container, extension }, capabilities);
  if ('failure' in dolbyVision) return dolbyVision;
  const { warnings: dolbyVisionWarnings, ...marks } = dolbyVision;
  const isFromMpeg = /^(?:mpeg-ts|mpeg|aac)$/.test(format) && !/^(?:mpegts|adts)$/.test(container.muxer);
  const isTransportStream = container.muxer === 'mpegts' && /^(?:h264|hevc)$/.test(video?.codec ?? '');
  const encoded = (what: string, codec: string) =>
    `${what} is encoded: ${extension} does not support a copy of ${codec} here.`;
  return {
    video: video && {
      source: video,
      repeatsParameterSets: isTransportStream && /^(?:mpeg4|matroska|webm|flv)$/.test(format),
      ...(media.timecode === undefined ? {} : { dropsTimecode: true }),
      ...marks,
    },
    audio: new Map(
      audio.map(({ streamIndex, codec }) => [
        streamIndex,
        isFromMpeg && codec === 'aac' ? { stripsAdts: true } : {},
      ]),
    ),
    warnings: [
      ...sized,
      ...dolbyVisionWarnings,
      ...(settings.thumbnails !== undefined && video !== null && isDolbyVisionOnly(video)
        ? ['The thumbnails have wrong colours: ffmpeg does not interpret those of Dolby Vision profile 5.']
        : []),
      ...(wantedVideo === null || video !== null ? [] : [encoded('The video', wantedVideo.codec)]),
      ...wantedAudio
        .filter((track) => !audio.includes(track))
        .map((track) => encoded(`Audio track ${trackLabel(track, media)} of the input`, track.codec)),
    ],
  };
}

/** What a copy of a video has to say about Dolby Vision. */
type DolbyVisionCopy = Pick<CopiedVideo, 'tag' | 'hasDolbyVision'> & Pick<Copies, 'warnings'>;

const noDolbyVision: DolbyVisionCopy = { warnings: [] };

/** The first version of ffmpeg that was measured to write the tag `dvh1`. */
const versionWithOwnTag = 7;

/**
 * Decides the codec tag of a copied video and whether its container says that it is Dolby Vision. MP4 and Matroska do,
 * with ffmpeg 5.0 and newer. A video that other decoders cannot display fails if nothing says so.
 */
function copyOfDolbyVision(
  video: VideoFacts,
  { container, extension }: Pick<StreamsToCopy, 'container' | 'extension'>,
  { hasFpsMode, version }: Pick<Capabilities, 'hasFpsMode' | 'version'>,
): DolbyVisionCopy | { readonly failure: JobFailure } {
  const { codec, dolbyVision } = video;
  const isHevc = codec === 'hevc';
  const hasTags = container.needsHvc1Tag ?? false;
  if (dolbyVision === undefined) return isHevc && hasTags ? { tag: 'hvc1', warnings: [] } : noDolbyVision;
  const isOnly = isDolbyVisionOnly(video);
  const isStored = container.muxer === 'mp4' || container.muxer === 'matroska';
  const hasRecord = isStored && hasFpsMode && dolbyVision.profile !== undefined;
  const canTag = container.muxer === 'mp4' && version !== null && version >= versionWithOwnTag;
  const hasOwnTag = isHevc && canTag && (dolbyVision.hasOwnTag === true || isOnly);
  // Matroska has no tags, but ffmpeg rejects those of Dolby Vision.
  const hasTag = isHevc && (hasTags || (container.muxer === 'matroska' && dolbyVision.hasOwnTag === true));
  const why = isStored ? 'this ffmpeg does not write it' : `${extension} does not have it here`;
  if (isOnly && !hasRecord && !hasOwnTag)
    return {
      failure: {
        errorClass: 'InvalidCodecCombinationError',
        message: `The video is Dolby Vision without another way to display it, and cannot be copied into ${extension} without its record: ${why}.`,
      },
    };
  return {
    ...(hasTag ? { tag: hasOwnTag ? 'dvh1' : 'hvc1' } : {}),
    ...(hasRecord ? { hasDolbyVision: true } : {}),
    warnings: [
      ...(hasRecord ? [] : [`The record of Dolby Vision was left out: ${why}.`]),
      ...(dolbyVision.hasOwnTag === true && hasTags && !hasOwnTag
        ? ['The codec tag is hvc1 in place of dvh1, which this ffmpeg does not write there.']
        : []),
    ],
  };
}

/**
 * The settings of an output with `copy`: each stream is copied, unless the request says what an encoded one should be
 * like. A video that cannot be encoded is copied if it may be.
 */
export function withCopies(given: OutputSettings, video: VideoFacts | null): OutputSettings {
  const mustCopy = given.copy_video === 'auto' && video !== null && isDolbyVisionOnly(video);
  const settings: OutputSettings = mustCopy ? { ...given, copy_video: true } : given;
  if (settings.copy !== true) return settings;
  const isEncoded = (names: readonly (keyof OutputSettings)[]) =>
    names.some((name) => name !== 'speed' && settings[name] !== undefined && !turnsOff(name, settings[name]));
  return {
    ...settings,
    copy_video:
      settings.copy_video ?? !(settings.hdr === 'tone-map' || isEncoded(['video_codec', ...videoSettings])),
    copy_audio: settings.copy_audio ?? !isEncoded(['audio_codec', ...audioSettings]),
  };
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

/**
 * The part of the input by which the chapters, the timecode and the captions of a copied clip are moved: it begins with
 * the packet that gets the time 0. Encoded audio begins with the requested start, after the samples that its decoder
 * drops.
 */
export function clipOfMarks(
  clip: Clip,
  start: CopyStart | null,
  audio: readonly AudioTrack[],
): { readonly clip: Clip; readonly firstFrameSeconds?: number } {
  if (start === null || clip.startSeconds === 0) return { clip };
  const isEncoded = audio.some(({ encoding }) => encoding !== null);
  const startSeconds = isEncoded
    ? Math.min(start.firstSeconds, clip.startSeconds - primingSeconds)
    : start.firstSeconds;
  const { lengthSeconds } = clip;
  return {
    clip: {
      ...clip,
      startSeconds,
      lengthSeconds: lengthSeconds === null ? null : lengthSeconds + clip.startSeconds - startSeconds,
    },
    firstFrameSeconds: start.videoSeconds,
  };
}

/** The samples that the encoder for AAC puts in front: 1024 at 48 kHz. */
const primingSeconds = 0.0213;

/** What a clip of copied streams does not keep, one sentence each. */
export function copyWarnings(
  { startSeconds, lengthSeconds }: Clip,
  { video, audio }: Copies,
  start: CopyStart | null,
): readonly string[] {
  if ((startSeconds === 0 && lengthSeconds === null) || (video === null && audio.size === 0)) return [];
  if (video === null) return ['The audio is copied, so the clip starts and ends at whole packets.'];
  const starts =
    start === null
      ? 'starts at a keyframe near its start'
      : `starts at ${Number(start.videoSeconds.toFixed(3))} seconds, at a keyframe,`;
  return [
    `The video is copied, so the clip ${startSeconds === 0 ? '' : `${starts} and `}ends at a whole frame.`,
  ];
}

/** Chapters and the timecode are moved with the requested start if the distance of the keyframe is unknown. */
export function markWarnings(
  { startSeconds }: Clip,
  { video }: Copies,
  metadata: Metadata,
): readonly string[] {
  const marks = [
    ...(metadata.chapters.length > 0 ? ['chapters'] : []),
    ...(hasTimecode(metadata) ? ['timecode'] : []),
  ];
  return video === null || startSeconds === 0 || marks.length === 0
    ? []
    : [`The ${marks.join(' and the ')} of the copy count from the requested start, not from that keyframe.`];
}
