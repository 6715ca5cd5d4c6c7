import { languageCode } from '../../src/shared/text/languages.js';
import type { AudioFacts, MediaFacts, TrackDisposition, VideoFacts } from '../jobs/media.js';
import { audioEncoders } from './audio-encoders.js';
import {
  type AudioDecision,
  type AudioTrack,
  type Clip,
  copiesStreams,
  type Decision,
  type Timing,
} from './decide/decisions.js';
import { hasTimecode } from './decide/metadata.js';
import { perSecond } from './decide/timing.js';
import { videoEncoders } from './encoders.js';
import { type AudioCodec, containerOf, extensionOf, isExtension, type VideoCodec } from './formats.js';
import type { PlanPaths, Product, TrackSource } from './plan-types.js';
import { audioFileOf } from './write/input.js';
import { productPath } from './write/steps.js';

// The rate that ffmpeg assumes if a stream has none.
const assumedFrameRate = 25;

/** Codecs that ffprobe reports under another name than that of the setting. */
const fileCodecs: Readonly<Record<string, string>> = { wmv: 'wmv2', wma: 'wmav2', amr: 'amr_nb' };

function fileCodec(codec: VideoCodec | AudioCodec, bitDepth = 16): string {
  return codec === 'pcm' ? `pcm_s${bitDepth}le` : (fileCodecs[codec] ?? codec);
}

/** Whether a length that a file declares is wrong, and not only rounded or padded. */
export function isLengthOff(declaredSeconds: number, seconds: number): boolean {
  return Math.abs(declaredSeconds - seconds) > Math.max(1, seconds * 0.02);
}

/** The sentence about an input that declares a wrong length. */
export function declaredLengthWarning(declaredSeconds: number, seconds: number): string {
  return `The input declares ${declaredSeconds.toFixed(1)} seconds and has ${seconds.toFixed(1)}.`;
}

function declaredLengthWarnings({ declaredSeconds, durationSeconds }: MediaFacts): readonly string[] {
  if (declaredSeconds === undefined || durationSeconds === null) return [];
  return [declaredLengthWarning(declaredSeconds, durationSeconds)];
}

/** The file that the steps of an output produce, and its expected properties. */
export function productOf(decision: Decision, media: MediaFacts, paths: PlanPaths): Product {
  const { outputId, clip, contentSeconds, video, copiedVideo, audio, captions, captionRenditions } = decision;
  const frameSeconds = 1 / (video?.framesPerSecond ?? assumedFrameRate);
  return {
    outputId,
    path: productPath(decision, paths),
    expectedSeconds: clip.expectedSeconds,
    ...(isClip(clip) ? { isClip: true } : {}),
    contentSeconds,
    maxSeconds: maxSeconds(decision, frameSeconds),
    warnings: [...decision.warnings, ...declaredLengthWarnings(media)],
    sources: trackSourcesOf(decision, media, paths),
    ...(audio.length > 0 || media.video?.lastFrame === undefined
      ? {}
      : { heldSeconds: media.video.lastFrame.endSeconds - media.video.lastFrame.startSeconds }),
    ...(media.wholeSeconds === undefined
      ? {}
      : { wholeSeconds: clip.lengthSeconds === null ? media.wholeSeconds - clip.startSeconds : 0 }),
    ...(decision.packaging === undefined ? {} : { packaging: decision.packaging }),
    ...(captionRenditions === undefined ? {} : { captionRenditions }),
    video:
      video === null
        ? videoOfCopy(copiedVideo?.source ?? null, decision)
        : {
            ...labelsOfVideo(decision),
            codec: fileCodec(videoEncoders[video.encoder].codec),
            ...video.fit.canvas,
            frameSeconds,
            frames: decision.lastFrame?.frames ?? null,
            ...(video.hdr === undefined ? {} : { hdr: video.hdr }),
            ...(video.quality === undefined ? {} : { quality: video.quality }),
            ...(video.rate.by === 'bitrate'
              ? {
                  bitrate: {
                    targetKbps: video.rate.kbps,
                    capKbps: video.cap?.kbps ?? null,
                    ...(decision.targetBytes === undefined ? {} : { targetBytes: decision.targetBytes }),
                  },
                }
              : {}),
          },
    audio: audio.map(audioOf),
    ...(decision.covers === undefined ? {} : { covers: decision.covers.length }),
    ...(decision.attachments === undefined ? {} : { attachments: decision.attachments.length }),
    ...(captions === undefined
      ? {}
      : { captionTracks: captions.map(({ dispositions }) => ({ dispositions: purposesOf(dispositions) })) }),
    ...(hasTimecode(decision.metadata) ? { hasTimecode: true as const } : {}),
    origins: decision.origins,
  };
}

function isClip({ startSeconds, lengthSeconds, expectedSeconds }: Clip): boolean {
  return startSeconds > 0 || (lengthSeconds !== null && lengthSeconds === expectedSeconds);
}

/** Players choose the first track where none is the default. */
function purposesOf(dispositions: readonly TrackDisposition[]): readonly TrackDisposition[] {
  return dispositions.filter((name) => name !== 'default');
}

/** The expected audio: that of the input if it is copied. */
function audioOf({ encoding, source, language, title, dispositions }: AudioTrack): Product['audio'][number] {
  const purposes = purposesOf(dispositions ?? source.dispositions ?? []);
  const labels = {
    ...(title === null ? {} : { title }),
    ...(purposes.length === 0 ? {} : { dispositions: purposes }),
  };
  const { codec, channels, sampleRate } =
    encoding === null
      ? source
      : { ...encoding, codec: fileCodec(audioEncoders[encoding.encoder].codec, encoding.bitDepth) };
  return {
    ...{ codec, channels, sampleRate },
    ...(language === null ? {} : { language }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

/**
 * The expected video of a copy: that of the input. Its frames are not counted, because a clip has an unknown part of
 * them.
 */
function videoOfCopy(video: VideoFacts | null, decision: Decision): Product['video'] {
  if (video === null) return null;
  const { codec, width, height, frameRate, hdr: declared } = video;
  const { mastering = null, lightLevels = null } = declared ?? {};
  const hdr = { transfer: video.colourTransfer ?? '', mastering, lightLevels };
  const frameSeconds =
    frameRate === null ? 1 / assumedFrameRate : frameRate.denominator / frameRate.numerator;
  return {
    ...{ codec, width, height, frameSeconds, frames: null, copied: video },
    ...(declared && { hdr }),
    ...labelsOfVideo(decision),
  };
}

/** Most videos declare the language of their audio, which says it better. */
function labelsOfVideo({ videoLabels, audio }: Decision): Pick<NonNullable<Product['video']>, 'labels'> {
  const { language, ...labels } = videoLabels ?? {};
  const isOwn =
    language !== undefined && !audio.some(({ source }) => isSameLanguage(source.language, language));
  const all = { ...labels, ...(isOwn ? { language } : {}) };
  return Object.keys(all).length === 0 ? {} : { labels: all };
}

const isSameLanguage = (one = '', other: string) => languageCode(one) === languageCode(other);

/**
 * The maximum duration. A clip ends at its length, within a frame. Without a length, the input may be longer than it
 * reports, because some formats only estimate the duration. If frames have uneven durations, the last one keeps its
 * duration even beyond the end of a clip, so there is no maximum.
 */
function maxSeconds(decision: Decision, frameSeconds: number): number | null {
  const { video, clip } = decision;
  const { expectedSeconds, lengthSeconds } = clip;
  const isUneven = video?.timing.by === 'source-timestamps' && video.timing.clock.by === 'fine';
  if (expectedSeconds === null || isUneven || copiesStreams(decision)) return null;
  if (lengthSeconds === null) return expectedSeconds * 1.5 + 5;
  return expectedSeconds + Math.max(1, expectedSeconds * 0.05, 2 * frameSeconds);
}

/** Format names that probing reports, for muxers with another name. */
const formats: Readonly<Record<string, string>> = {
  mov: 'mpeg4',
  mp4: 'mpeg4',
  ipod: 'mpeg4',
  '3gp': 'mpeg4',
  mpegts: 'mpeg-ts',
};

/**
 * The expected facts of a file that has not been encoded yet, as far as they are known. Only for command lines that are
 * shown, not run; a run probes the file.
 */
export function expectedMedia({ path, video, audio: [audio], expectedSeconds }: Product): MediaFacts {
  const extension = extensionOf(path);
  const muxer = isExtension(extension) ? containerOf(extension).muxer : '';
  return {
    format: formats[muxer] ?? muxer,
    durationSeconds: expectedSeconds,
    totalBitrateKbps: null,
    audio:
      audio === undefined
        ? null
        : {
            ...audio,
            streamIndex: video === null ? 0 : 1,
            bitrateKbps: null,
            durationSeconds: null,
            startSeconds: 0,
          },
    video:
      video === null
        ? null
        : {
            streamIndex: 0,
            codec: video.codec,
            width: video.width,
            height: video.height,
            sampleAspectRatio: { numerator: 1, denominator: 1 },
            rotationDegrees: 0,
            frameRate: { numerator: 1_000_000, denominator: video.frameSeconds * 1_000_000 },
            isFrameRateVariable: false,
            fieldOrder: 'progressive',
            ...(video.hdr === undefined
              ? { pixelFormat: 'yuv420p' }
              : { pixelFormat: 'yuv420p10le', colourTransfer: video.hdr.transfer }),
            bitrateKbps: null,
            durationSeconds: null,
            startSeconds: 0,
          },
  };
}

/** From which tracks of the input those of an output are made, to compare what ffmpeg wrote with what it decoded. */
function trackSourcesOf(
  decision: Decision,
  media: MediaFacts,
  paths: PlanPaths,
): NonNullable<Product['sources']> {
  const { clip, copiedVideo, audio } = decision;
  const part = { startSeconds: clip.startSeconds, lengthSeconds: clip.lengthSeconds };
  const video =
    copiedVideo === undefined ? encodedVideo(decision, media, paths) : copied(copiedVideo.source, paths);
  return {
    ...(video === null ? {} : { video: { ...part, ...video } }),
    audio: audio.map(({ source, encoding }) => {
      const counting =
        encoding === null ? copied(source, paths) : sourceOfEncodedAudio(decision, encoding, source, paths);
      return { ...part, ...counting };
    }),
  };
}

type Counting = Omit<TrackSource, 'startSeconds' | 'lengthSeconds'>;

/** The packets of a copy are those of the input. How many of them are in a clip is not known. */
function copied({ streamIndex }: VideoFacts | AudioFacts, { input }: PlanPaths): Counting {
  return { stream: `${input}:${streamIndex}`, isCopied: true, unitsPerRead: 1, unitsPerSecond: null };
}

/** Null if the number of frames does not follow from that of the input: uneven frames at another rate. */
function encodedVideo({ video }: Decision, media: MediaFacts, { input }: PlanPaths): Counting | null {
  if (video === null) return null;
  const { frameRate = null, isFrameRateVariable = true } = media.video ?? {};
  const inputRate = isFrameRateVariable || frameRate === null ? null : perSecond(frameRate);
  const unitsPerRead = framesPerRead(video.timing, inputRate);
  if (unitsPerRead === null) return null;
  return {
    stream: `${input}:${video.streamIndex}`,
    isCopied: false,
    unitsPerRead,
    unitsPerSecond: inputRate === null ? null : inputRate * unitsPerRead,
  };
}

/** A frame per field counts as one frame, because only interlaced frames become two. */
function framesPerRead(timing: Timing, inputRate: number | null): number | null {
  if (timing.by === 'constant-rate') return inputRate === null ? null : perSecond(timing.rate) / inputRate;
  const [rule, ...others] = timing.dropRules;
  if (rule === undefined) return 1;
  return rule.by === 'count' && others.length === 0 ? 1 / rule.oneOf : null;
}

function sourceOfEncodedAudio(
  decision: Decision,
  encoding: AudioDecision,
  source: AudioFacts,
  paths: PlanPaths,
): Counting {
  // Of joined tracks, that is the longest.
  const own = encoding.joined?.channels.find(({ track }) => track.streamIndex === source.streamIndex)?.track;
  const file = audioFileOf(decision, own === undefined ? encoding : { ...own, repack: null }, paths);
  return {
    stream: file === null ? `${paths.input}:${source.streamIndex}` : `${file}:0`,
    isCopied: false,
    unitsPerRead: encoding.sampleRate / source.sampleRate,
    unitsPerSecond: encoding.sampleRate,
  };
}
