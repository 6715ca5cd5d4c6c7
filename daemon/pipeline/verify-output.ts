import { isVencError, VencError } from '../../src/shared/errors.js';
import type { JobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Product } from '../plan/plan-types.js';

/**
 * Verifies an encoded file. Returns why it must not be delivered: streams are missing or unexpected, or the codec, the size or
 * the duration is wrong. Null if it is as planned. `media` is null if the file cannot be read. Pure.
 */
export function verifyOutput(product: Product, media: MediaFacts | null): JobFailure | null {
  if (media === null)
    return isShorterThanFrame(product) ? emptyClipFailure : invalidFileFailure('that cannot be read');
  const missing = [
    ...(product.video !== null && media.video === null ? ['video'] : []),
    ...(product.audio !== null && media.audio === null ? ['audio'] : []),
  ];
  if (missing.length > 0) {
    return isShorterThanFrame(product)
      ? emptyClipFailure
      : invalidFileFailure(`without ${missing.join(' and ')}`);
  }
  const unexpected = [
    ...(product.video === null && media.video !== null ? ['video'] : []),
    ...(product.audio === null && media.audio !== null ? ['audio'] : []),
  ];
  if (unexpected.length > 0) return invalidFileFailure(`with unexpected ${unexpected.join(' and ')}`);
  const mismatch =
    findVideoMismatch(product, media) ??
    findAudioMismatch(product, media) ??
    findCaptionMismatch(product, media);
  return mismatch === null ? findDurationFailure(product, media) : invalidFileFailure(mismatch);
}

const emptyClipFailure: JobFailure = {
  errorClass: 'InvalidVideoSettingsError',
  message: 'The clip is too short: it contains no frame of the input.',
};

function invalidFileFailure(what: string): JobFailure {
  return { errorClass: 'TranscodingError', message: `The encoder wrote a file ${what}.` };
}

/**
 * The error of a failed run of ffmpeg. If the clip may contain no frame, that is reported instead of the error of the encoder.
 */
export function toShortClipError(product: Product, error: unknown): unknown {
  if (!isShorterThanFrame(product) || !isVencError(error, 'TranscodingError')) return error;
  return new VencError(emptyClipFailure.errorClass, emptyClipFailure.message, { cause: error });
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
  if (video.width === expectedVideo.width && video.height === expectedVideo.height) return null;
  return `of ${video.width}x${video.height} pixels, not ${expectedVideo.width}x${expectedVideo.height}`;
}

function findAudioMismatch({ audio: expectedAudio }: Product, { audio }: MediaFacts): string | null {
  if (expectedAudio === null || audio === null) return null;
  if (audio.codec !== expectedAudio.codec) return `with ${audio.codec} audio, not ${expectedAudio.codec}`;
  if (audio.channels === expectedAudio.channels) return null;
  return `with ${audio.channels} audio channels, not ${expectedAudio.channels}`;
}

function findCaptionMismatch({ captionTracks = 0 }: Product, { subtitles = [] }: MediaFacts): string | null {
  if (subtitles.length === captionTracks) return null;
  return `with ${subtitles.length} subtitle tracks, not ${captionTracks}`;
}

function findDurationFailure(
  { expectedSeconds, contentSeconds, maxSeconds, video: expectedVideo }: Product,
  { durationSeconds, video }: MediaFacts,
): JobFailure | null {
  if (expectedSeconds === null || contentSeconds === null || durationSeconds === null) return null;
  const lengths = `${durationSeconds.toFixed(1)} of ${contentSeconds.toFixed(1)} seconds`;
  const toleranceSeconds = Math.max(1, contentSeconds * 0.05, 2 * (expectedVideo?.frameSeconds ?? 0));
  // A truncated input still reports its full duration; ffmpeg encodes the existing part and reports success.
  if (durationSeconds < contentSeconds - toleranceSeconds && !hasAllFrames(expectedVideo, video)) {
    const message = `Only ${lengths} could be encoded: the input is truncated or damaged.`;
    return { errorClass: 'TranscodingError', message };
  }
  if (maxSeconds === null || durationSeconds <= maxSeconds) return null;
  return invalidFileFailure(
    `of ${durationSeconds.toFixed(1)} seconds instead of ${expectedSeconds.toFixed(1)}`,
  );
}

/** Whether nearly all frames are present; a few may be damaged. False if the expected number is unknown. */
function hasAllFrames(expectedVideo: Product['video'], video: MediaFacts['video']): boolean {
  const expectedFrames = expectedVideo?.frames ?? null;
  return expectedFrames !== null && (video?.frameCount ?? 0) >= expectedFrames * 0.95;
}
