import { isVencError, VencError } from '../../src/shared/errors.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RunReport, TrackCounts } from '../ffmpeg/index.js';
import type { JobFailure } from '../jobs/job.js';
import { audioStreams, type MediaFacts } from '../jobs/media.js';
import type { Product, TrackSource } from '../plan/plan-types.js';
import { declaredLengthWarning, isLengthOff } from '../plan/product.js';
import { lostContentWarnings } from './lost-content.js';

/**
 * What verification depends on besides the file: what ffmpeg reported, null if it did not, and the settings of the
 * output.
 */
interface VerifyOptions {
  readonly report: RunReport | null;
  readonly settings: Pick<OutputSettings, 'strict' | 'allow_truncated'>;
}

/** Why a file must not be delivered, null if it may be, and warnings about it, one sentence each. */
interface Verification {
  readonly failure: JobFailure | null;
  readonly warnings: readonly string[];
}

const failed = (failure: JobFailure): Verification => ({ failure, warnings: [] });

/**
 * Verifies an encoded file: which streams it has, their codecs and sizes, and how long it is. `media` is null if the
 * file cannot be read. Pure.
 */
export function verifyOutput(
  product: Product,
  media: MediaFacts | null,
  options: VerifyOptions = { report: null, settings: {} },
): Verification {
  const failure = findMismatch(product, media);
  if (failure !== null || media === null) return failed(failure ?? emptyFailure(product));
  return verifyLength(product, media, options);
}

function findMismatch(product: Product, media: MediaFacts | null): JobFailure | null {
  if (media === null)
    return isShorterThanFrame(product) ? emptyFailure(product) : invalidFileFailure('that cannot be read');
  const missing = [
    ...(product.video !== null && media.video === null ? ['video'] : []),
    ...(product.audio.length > 0 && media.audio === null ? ['audio'] : []),
  ];
  if (missing.length > 0) {
    return isShorterThanFrame(product)
      ? emptyFailure(product)
      : invalidFileFailure(`without ${missing.join(' and ')}`);
  }
  const unexpected = [
    ...(product.video === null && media.video !== null ? ['video'] : []),
    ...(product.audio.length === 0 && media.audio !== null ? ['audio'] : []),
  ];
  if (unexpected.length > 0) return invalidFileFailure(`with unexpected ${unexpected.join(' and ')}`);
  const mismatch =
    findVideoMismatch(product, media) ??
    findAudioMismatch(product, media) ??
    findCaptionMismatch(product, media);
  return mismatch === null ? null : invalidFileFailure(mismatch);
}

/**
 * The failure of an output without any frame, or of a GIF with one, which is a still image: of the settings if these ask for a clip, or for frames longer than the
 * input.
 */
function emptyFailure({ isClip, expectedSeconds, video }: Product): JobFailure {
  if (video?.codec === 'gif')
    return settingsFailure(
      'A .gif needs two frames, and this one would have fewer. Choose a longer part of the input.',
    );
  if (isClip) return settingsFailure('The clip is too short: it contains no frame of the input.');
  if (video !== null && expectedSeconds !== null && expectedSeconds < video.frameSeconds)
    return settingsFailure('The input is shorter than one frame at this frame rate. Choose a higher one.');
  return { errorClass: 'TranscodingError', message: 'The input is shorter than one frame of the output.' };
}

const settingsFailure = (message: string): JobFailure => ({
  errorClass: 'InvalidVideoSettingsError',
  message,
});

function invalidFileFailure(what: string): JobFailure {
  return { errorClass: 'TranscodingError', message: `The encoder wrote a file ${what}.` };
}

/**
 * The error of a failed run of ffmpeg. If the clip may contain no frame, that is reported instead of the error of the
 * encoder.
 */
export function toShortClipError(product: Product, error: unknown): unknown {
  if (!product.isClip || !isShorterThanFrame(product) || !isVencError(error, 'TranscodingError'))
    return error;
  const { errorClass, message } = emptyFailure(product);
  return new VencError(errorClass, message, { cause: error });
}

/** A clip this short may fall between two video or audio frames. */
function isShorterThanFrame({ expectedSeconds, video: expectedVideo }: Product): boolean {
  return expectedSeconds !== null && expectedSeconds < 2 * (expectedVideo?.frameSeconds ?? audioFrameSeconds);
}

/** AAC has the longest common frames: 1024 samples, at 22,050 Hz. */
const audioFrameSeconds = 0.047;

function findVideoMismatch({ video: expectedVideo }: Product, { video }: MediaFacts): string | null {
  if (expectedVideo === null || video === null) return null;
  if (video.codec !== expectedVideo.codec) return `of ${video.codec}, not ${expectedVideo.codec}`;
  const { hdr, copied } = expectedVideo;
  const transfer = copied !== undefined ? video.colourTransfer : (hdr?.transfer ?? video.colourTransfer);
  if (video.colourTransfer !== transfer)
    return `with the transfer ${video.colourTransfer ?? 'unknown'}, not ${transfer}`;
  if (video.width === expectedVideo.width && video.height === expectedVideo.height) return null;
  return `of ${video.width}x${video.height} pixels, not ${expectedVideo.width}x${expectedVideo.height}`;
}

function findAudioMismatch({ audio: expected }: Product, media: MediaFacts): string | null {
  const tracks = audioStreams(media);
  if (tracks.length > expected.length) return `with ${tracks.length} audio tracks, not ${expected.length}`;
  if (tracks.length < expected.length) return null;
  for (const [at, { codec, channels }] of expected.entries()) {
    const track = tracks[at];
    if (track === undefined) continue;
    if (track.codec !== codec) return `with ${track.codec} audio, not ${codec}`;
    if (track.channels !== channels) return `with ${track.channels} audio channels, not ${channels}`;
  }
  return null;
}

function findCaptionMismatch(
  { captionTracks: { length } = [] }: Product,
  { subtitles = [] }: MediaFacts,
): string | null {
  return subtitles.length === length ? null : `with ${subtitles.length} subtitle tracks, not ${length}`;
}

/** Below this share, a track of which something was lost fails. */
const minShare = 0.9;

/**
 * Verifies that an output has all that was decoded, and that it was all that the input declares. A truncated input
 * still reports its full duration; ffmpeg encodes the existing part and reports success. An undamaged one that is
 * shorter or longer declares a wrong duration.
 */
function verifyLength(product: Product, media: MediaFacts, options: VerifyOptions): Verification {
  const { report, settings } = options;
  const lost = report === null ? [] : findLostTracks(product, report);
  const isIncomplete =
    product.wholeSeconds !== undefined || (report !== null && (report.isCutOff || report.hasErrors));
  const truncated = (lengths: string): Verification => {
    if (settings.allow_truncated === true)
      return {
        failure: null,
        warnings: [`Only ${lengths} could be encoded: the input is truncated or damaged.`],
      };
    return transcodingFailure(
      `Only ${lengths} could be encoded: the input is truncated or damaged. --allow-truncated encodes what is there.`,
    );
  };
  const failing = lost.find(
    ({ share, isCopied }) => settings.strict === true || (share < minShare && !isCopied),
  );
  if (failing !== undefined) {
    const { kind, lengths } = failing;
    if (product.wholeSeconds !== undefined || report?.isCutOff === true || report?.isDamaged === true)
      return truncated(`${lengths} of ${kind}`);
    return transcodingFailure(`The output has only ${lengths} of the ${kind} of the input.`);
  }
  const isCounted = report !== null && areTracksCounted(product, report);
  const duration = verifyDuration(product, media, { isIncomplete, isCounted, truncated });
  if (duration.failure !== null) return duration;
  const warnings = [
    ...lost.map(
      ({ kind, lengths }) => `The output has only ${lengths} of the ${kind} of the input: the rest was lost.`,
    ),
    ...lostContentWarnings(product, media),
  ];
  return { failure: null, warnings: [...duration.warnings, ...warnings] };
}

function transcodingFailure(message: string): Verification {
  return failed({ errorClass: 'TranscodingError', message });
}

function verifyDuration(
  { expectedSeconds, contentSeconds: declared, maxSeconds, sources, ...product }: Product,
  { durationSeconds, video }: MediaFacts,
  {
    isIncomplete,
    isCounted,
    truncated,
  }: {
    readonly isIncomplete: boolean;
    readonly isCounted: boolean;
    readonly truncated: (lengths: string) => Verification;
  },
): Verification {
  const valid: Verification = { failure: null, warnings: [] };
  if (expectedSeconds === null || declared === null || durationSeconds === null) return valid;
  const { video: expectedVideo, wholeSeconds = 0 } = product;
  const contentSeconds = Math.max(declared, wholeSeconds);
  const toleranceSeconds = Math.max(1, contentSeconds * 0.05, 2 * (expectedVideo?.frameSeconds ?? 0));
  const isShort = durationSeconds < contentSeconds - toleranceSeconds && !hasAllFrames(expectedVideo, video);
  if (isShort && (isIncomplete || !isCounted))
    return truncated(`${durationSeconds.toFixed(1)} of ${contentSeconds.toFixed(1)} seconds`);
  if (maxSeconds !== null && durationSeconds > maxSeconds && !isCounted) {
    const lengths = `${durationSeconds.toFixed(1)} seconds instead of ${expectedSeconds.toFixed(1)}`;
    return failed(invalidFileFailure(`of ${lengths}`));
  }
  // The input is as long as it declares, if only the last frame is displayed for less time.
  if (isShort && (product.heldSeconds ?? 0) >= contentSeconds - durationSeconds) {
    const lengths = `${durationSeconds.toFixed(1)} of ${contentSeconds.toFixed(1)} seconds`;
    const warning = `The output ends after ${lengths}: its container, or this ffmpeg, does not store how long the last frame is displayed.`;
    return { failure: null, warnings: [warning] };
  }
  const { startSeconds = 0, lengthSeconds = null } = sources?.video ?? sources?.audio[0] ?? {};
  // A track that begins late reaches less far than the output, which has silence before it.
  const declaredSeconds = isShort ? contentSeconds : Math.max(contentSeconds, expectedSeconds);
  const isLong =
    lengthSeconds === null &&
    durationSeconds > declaredSeconds &&
    isLengthOff(declaredSeconds, durationSeconds);
  const warning = declaredLengthWarning(startSeconds + declaredSeconds, startSeconds + durationSeconds);
  return (isShort || isLong) && isCounted ? { failure: null, warnings: [warning] } : valid;
}

/** Whether nearly all frames are present; a few may be damaged. False if the expected number is unknown. */
function hasAllFrames(expectedVideo: Product['video'], video: MediaFacts['video']): boolean {
  const expectedFrames = expectedVideo?.frames ?? null;
  return expectedFrames !== null && (video?.frameCount ?? 0) >= expectedFrames * 0.95;
}

/** A track of an output that has less than what was decoded of its source, or copied from it. */
interface LostTrack {
  readonly kind: 'video' | 'audio';
  readonly isCopied: boolean;
  /** How much of what was wanted is there, 0-1. */
  readonly share: number;
  /** Both lengths in words: `0.1 of 4.0 seconds`, `20 of 40 frames`. */
  readonly lengths: string;
}

/** Below this share, a track has lost something. */
const completeShare = 0.98;
/** A loss that is not noticed at a start or an end, in seconds, and in frames. */
const slack = { seconds: 0.25, units: 2 } as const;

/** The tracks of an output that lost more than 2 % between decoding and the file, by what ffmpeg counted. Pure. */
function findLostTracks({ sources, path, audio }: Product, report: RunReport): readonly LostTrack[] {
  const written = report.written.get(path);
  const tracks = [
    { kind: 'video', source: sources?.video, counts: written?.video, sampleRate: null } as const,
    ...(sources?.audio ?? []).map((source, at) => {
      const sampleRate = source.isCopied ? null : (audio[at]?.sampleRate ?? null);
      return { kind: 'audio', source, counts: written?.audio[at], sampleRate } as const;
    }),
  ];
  return tracks.flatMap(({ kind, source, counts, sampleRate }): LostTrack[] => {
    const read = source === undefined ? undefined : report.read.get(source.stream);
    if (source === undefined || read === undefined || counts === undefined) return [];
    const unitsWritten = unitsOf(counts, kind, source);
    const wanted = unitsWanted(read, kind, source);
    if (unitsWritten === null || wanted === null || unitsWritten >= wanted * completeShare) return [];
    const maxLoss = Math.max(slack.units, slack.seconds * (source.unitsPerSecond ?? 0));
    if (wanted - unitsWritten <= maxLoss) return [];
    const lengths =
      sampleRate === null
        ? `${unitsWritten} of ${Math.round(wanted)} ${source.isCopied ? 'packets' : 'frames'}`
        : `${(unitsWritten / sampleRate).toFixed(1)} of ${(wanted / sampleRate).toFixed(1)} seconds`;
    return [{ kind, isCopied: source.isCopied, share: unitsWritten / wanted, lengths }];
  });
}

/** Whether ffmpeg counted all tracks of an output, so that its length is known to be that of what was decoded. */
function areTracksCounted({ path, video, audio }: Product, report: RunReport): boolean {
  const written = report.written.get(path);
  return (
    written !== undefined &&
    (video === null || written.video !== undefined) &&
    written.audio.length >= audio.length
  );
}

function unitsOf(
  { packets, frames, samples }: TrackCounts,
  kind: LostTrack['kind'],
  { isCopied }: TrackSource,
): number | null {
  if (isCopied) return packets;
  return kind === 'audio' ? samples : frames;
}

/**
 * Null if unknown. A part of the input is known only where its frames are even. Reading begins at an unknown place
 * before a clip, at the earliest at the start of the input, so at least the rest is wanted.
 */
function unitsWanted(read: TrackCounts, kind: LostTrack['kind'], source: TrackSource): number | null {
  const { unitsPerRead, unitsPerSecond, startSeconds, lengthSeconds, isCopied } = source;
  const units = unitsOf(read, kind, source);
  if (units === null) return null;
  // Audio that changes its sample rate has at least the seconds that it would have at the highest one.
  const perRead =
    kind === 'audio' && !isCopied && read.maxSampleRate !== undefined && unitsPerSecond !== null
      ? Math.min(unitsPerRead, unitsPerSecond / read.maxSampleRate)
      : unitsPerRead;
  const all = units * perRead;
  if (startSeconds === 0 && lengthSeconds === null) return all;
  if (unitsPerSecond === null) return null;
  return Math.min(
    all - startSeconds * unitsPerSecond,
    lengthSeconds === null ? Number.POSITIVE_INFINITY : lengthSeconds * unitsPerSecond,
  );
}
