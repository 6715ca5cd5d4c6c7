import type { AudioFacts, MediaFacts, VideoFacts } from '../jobs/media.js';
import { audioEncoders } from './audio-encoders.js';
import type { AudioDecision, Clip, Decision, Timing } from './decide/decisions.js';
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
  const { outputId, clip, contentSeconds, video, audio, copies, captions, captionRenditions } = decision;
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
    ...(audio !== null || copies?.audio != null || media.video?.lastFrame === undefined
      ? {}
      : { heldSeconds: media.video.lastFrame.endSeconds - media.video.lastFrame.startSeconds }),
    ...(media.wholeSeconds === undefined
      ? {}
      : { wholeSeconds: clip.lengthSeconds === null ? media.wholeSeconds - clip.startSeconds : 0 }),
    ...(decision.packaging === undefined ? {} : { packaging: decision.packaging }),
    ...(captionRenditions === undefined ? {} : { captionRenditions }),
    video:
      video === null
        ? copiedVideo(copies?.video ?? null)
        : {
            codec: fileCodec(videoEncoders[video.encoder].codec),
            ...video.fit.canvas,
            frameSeconds,
            frames: decision.lastFrame?.frames ?? null,
            ...(video.rate.by === 'bitrate'
              ? { bitrate: { targetKbps: video.rate.kbps, capKbps: video.cap?.kbps ?? null } }
              : {}),
          },
    audio: audio === null ? copiedAudio(copies?.audio ?? null) : encodedAudio(audio),
    ...(captions === undefined ? {} : { captionTracks: captions.length }),
  };
}

function isClip({ startSeconds, lengthSeconds, expectedSeconds }: Clip): boolean {
  return startSeconds > 0 || (lengthSeconds !== null && lengthSeconds === expectedSeconds);
}

function encodedAudio({ encoder, bitDepth, channels, sampleRate }: AudioDecision): Product['audio'] {
  return { codec: fileCodec(audioEncoders[encoder].codec, bitDepth), channels, sampleRate };
}

/** The expected audio of a copy: that of the input. */
function copiedAudio(audio: AudioFacts | null): Product['audio'] {
  if (audio === null) return null;
  const { codec, channels, sampleRate } = audio;
  return { codec, channels, sampleRate };
}

/**
 * The expected video of a copy: that of the input. Its frames are not counted, because a clip has an unknown part of
 * them.
 */
function copiedVideo(video: VideoFacts | null): Product['video'] {
  if (video === null) return null;
  const { codec, width, height, frameRate } = video;
  const frameSeconds =
    frameRate === null ? 1 / assumedFrameRate : frameRate.denominator / frameRate.numerator;
  return { codec, width, height, frameSeconds, frames: null, isCopied: true };
}

/**
 * The maximum duration. A clip ends at its length, within a frame. Without a length, the input may be longer than it
 * reports, because some formats only estimate the duration. If frames have uneven durations, the last one keeps its
 * duration even beyond the end of a clip, so there is no maximum.
 */
function maxSeconds({ clip, video, copies }: Decision, frameSeconds: number): number | null {
  const { expectedSeconds, lengthSeconds } = clip;
  const isUneven = video?.timing.by === 'source-timestamps' && video.timing.clock.by === 'fine';
  if (expectedSeconds === null || isUneven || copies !== undefined) return null;
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
export function expectedMedia({ path, video, audio, expectedSeconds }: Product): MediaFacts {
  const extension = extensionOf(path);
  const muxer = isExtension(extension) ? containerOf(extension).muxer : '';
  return {
    format: formats[muxer] ?? muxer,
    durationSeconds: expectedSeconds,
    totalBitrateKbps: null,
    audio:
      audio === null
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
            pixelFormat: 'yuv420p',
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
): { readonly video?: TrackSource; readonly audio?: TrackSource } {
  const { clip, copies } = decision;
  const part = { startSeconds: clip.startSeconds, lengthSeconds: clip.lengthSeconds };
  const video = copies?.video == null ? encodedVideo(decision, media, paths) : copied(copies.video, paths);
  const audio =
    copies?.audio == null ? sourceOfEncodedAudio(decision, media, paths) : copied(copies.audio, paths);
  return {
    ...(video === null ? {} : { video: { ...part, ...video } }),
    ...(audio === null ? {} : { audio: { ...part, ...audio } }),
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

function sourceOfEncodedAudio(decision: Decision, media: MediaFacts, paths: PlanPaths): Counting | null {
  const { audio } = decision;
  if (audio === null) return null;
  const input = [media.audio, ...(media.otherAudio ?? [])].find(
    (one) => one?.streamIndex === audio.streamIndex,
  );
  if (input == null) return null;
  const file = audioFileOf(decision, paths);
  return {
    stream: file === null ? `${paths.input}:${audio.streamIndex}` : `${file}:0`,
    isCopied: false,
    unitsPerRead: audio.sampleRate / input.sampleRate,
    unitsPerSecond: audio.sampleRate,
  };
}
