import { isVencError, VencError } from '../../src/shared/errors.js';
import type { JobFailure } from '../jobs/job-failure.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Product } from '../plan/plan-types.js';

/**
 * Why a file that the encoder left must not be delivered: it lacks or has what it should not, is of another codec or size, or lasts
 * shorter or longer than it should. Null where it is what was planned; `media` is null for a file that cannot be read. Pure.
 */
export function verifyOutput(product: Product, media: MediaFacts | null): JobFailure | null {
  if (media === null)
    return isShorterThanFrame(product) ? emptyClipFailure : invalidFileFailure('that cannot be read');
  const missing = [
    ...(product.video !== null && media.video === null ? ['picture'] : []),
    ...(product.audio !== null && media.audio === null ? ['sound'] : []),
  ];
  if (missing.length > 0) {
    return isShorterThanFrame(product)
      ? emptyClipFailure
      : invalidFileFailure(`without ${missing.join(' and ')}`);
  }
  const unexpected = [
    ...(product.video === null && media.video !== null ? ['picture'] : []),
    ...(product.audio === null && media.audio !== null ? ['sound'] : []),
  ];
  if (unexpected.length > 0)
    return invalidFileFailure(`with ${unexpected.join(' and ')} that was to have none`);
  const mismatch = findVideoMismatch(product, media) ?? findAudioMismatch(product, media);
  return mismatch === null ? findDurationFailure(product, media) : invalidFileFailure(mismatch);
}

const emptyClipFailure: JobFailure = {
  errorClass: 'InvalidVideoSettingsError',
  message: 'There is no frame in the part of the input that was to be encoded: the clip is too short.',
};

function invalidFileFailure(what: string): JobFailure {
  return { errorClass: 'TranscodingError', message: `The encoder left a file ${what}.` };
}

/** What a run of ffmpeg failed with; where the clip may hold no frame at all, that is told instead of what the encoder made of it. */
export function toShortClipError(product: Product, error: unknown): unknown {
  if (!isShorterThanFrame(product) || !isVencError(error, 'TranscodingError')) return error;
  return new VencError(emptyClipFailure.errorClass, emptyClipFailure.message, { cause: error });
}

/** A clip this short may fall between two frames, of the picture or of the sound. */
function isShorterThanFrame({ expectedSeconds, video: expectedVideo }: Product): boolean {
  return expectedSeconds !== null && expectedSeconds < 2 * (expectedVideo?.frameSeconds ?? audioFrameSeconds);
}

/** AAC has the longest frames that are common: 1024 samples, at 22,050 Hz. */
const audioFrameSeconds = 0.047;

function findVideoMismatch({ video: expectedVideo }: Product, { video }: MediaFacts): string | null {
  if (expectedVideo === null || video === null) return null;
  if (video.codec !== expectedVideo.codec) return `of ${video.codec}, not ${expectedVideo.codec}`;
  if (video.width === expectedVideo.width && video.height === expectedVideo.height) return null;
  return `of ${video.width}x${video.height} pixels, not ${expectedVideo.width}x${expectedVideo.height}`;
}

function findAudioMismatch({ audio: expectedAudio }: Product, { audio }: MediaFacts): string | null {
  if (expectedAudio === null || audio === null) return null;
  if (audio.codec !== expectedAudio.codec) return `with sound of ${audio.codec}, not ${expectedAudio.codec}`;
  if (audio.channels === expectedAudio.channels) return null;
  return `with sound of ${audio.channels} channels, not ${expectedAudio.channels}`;
}

function findDurationFailure(
  { expectedSeconds, maxSeconds, video: expectedVideo }: Product,
  { durationSeconds, video }: MediaFacts,
): JobFailure | null {
  if (expectedSeconds === null || durationSeconds === null) return null;
  const lengths = `${durationSeconds.toFixed(1)} of ${expectedSeconds.toFixed(1)} seconds`;
  const toleranceSeconds = Math.max(1, expectedSeconds * 0.05, 2 * (expectedVideo?.frameSeconds ?? 0));
  // A file that was cut off tells its full length all the same, and ffmpeg encodes what there is of it and reports success.
  if (durationSeconds < expectedSeconds - toleranceSeconds && !hasAllFrames(expectedVideo, video)) {
    const message = `Only ${lengths} could be encoded: the input is cut short or damaged.`;
    return { errorClass: 'TranscodingError', message };
  }
  if (maxSeconds === null || durationSeconds <= maxSeconds) return null;
  return invalidFileFailure(
    `of ${durationSeconds.toFixed(1)} seconds, where ${expectedSeconds.toFixed(1)} were to be expected`,
  );
}

/** A few may be damaged. Where their number is not known, they are not all there. */
function hasAllFrames(expectedVideo: Product['video'], video: MediaFacts['video']): boolean {
  const expectedFrames = expectedVideo?.frames ?? null;
  return expectedFrames !== null && (video?.frameCount ?? 0) >= expectedFrames * 0.95;
}
