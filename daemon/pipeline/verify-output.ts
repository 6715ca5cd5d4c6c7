import { isVencError, VencError } from '../../src/shared/errors.js';
import type { Fault } from '../jobs/job-failure.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Product } from '../plan/plan-types.js';

/**
 * Why a file that the encoder left must not be delivered: it lacks or has what it should not, is of another codec or size, or lasts
 * shorter or longer than it should. Null where it is what was planned; `media` is null for a file that cannot be read. Pure.
 */
export function judgeProduct(product: Product, media: MediaFacts | null): Fault | null {
  if (media === null) return isBelowAFrame(product) ? nothingInClip : broken('that cannot be read');
  const missing = [
    ...(product.video !== null && media.video === null ? ['picture'] : []),
    ...(product.audio !== null && media.audio === null ? ['sound'] : []),
  ];
  if (missing.length > 0) {
    return isBelowAFrame(product) ? nothingInClip : broken(`without ${missing.join(' and ')}`);
  }
  const surplus = [
    ...(product.video === null && media.video !== null ? ['picture'] : []),
    ...(product.audio === null && media.audio !== null ? ['sound'] : []),
  ];
  if (surplus.length > 0) return broken(`with ${surplus.join(' and ')} that was to have none`);
  const difference = pictureDifference(product, media) ?? soundDifference(product, media);
  return difference === null ? lengthFault(product, media) : broken(difference);
}

const nothingInClip: Fault = {
  errorClass: 'InvalidVideoSettingsError',
  message: 'There is no frame in the part of the input that was to be encoded: the clip is too short.',
};

function broken(what: string): Fault {
  return { errorClass: 'TranscodingError', message: `The encoder left a file ${what}.` };
}

/** What a run of ffmpeg failed with; where the clip may hold no frame at all, that is told instead of what the encoder made of it. */
export function asShortClip(product: Product, error: unknown): unknown {
  if (!isBelowAFrame(product) || !isVencError(error, 'TranscodingError')) return error;
  return new VencError(nothingInClip.errorClass, nothingInClip.message, { cause: error });
}

/** A clip this short may fall between two frames, of the picture or of the sound. */
function isBelowAFrame({ expectedSeconds, video: picture }: Product): boolean {
  return expectedSeconds !== null && expectedSeconds < 2 * (picture?.frameSeconds ?? soundFrameSeconds);
}

/** AAC has the longest frames that are common: 1024 samples, at 22,050 Hz. */
const soundFrameSeconds = 0.047;

function pictureDifference({ video: picture }: Product, { video }: MediaFacts): string | null {
  if (picture === null || video === null) return null;
  if (video.codec !== picture.codec) return `of ${video.codec}, not ${picture.codec}`;
  if (video.width === picture.width && video.height === picture.height) return null;
  return `of ${video.width}x${video.height} pixels, not ${picture.width}x${picture.height}`;
}

function soundDifference({ audio: sound }: Product, { audio }: MediaFacts): string | null {
  if (sound === null || audio === null) return null;
  if (audio.codec !== sound.codec) return `with sound of ${audio.codec}, not ${sound.codec}`;
  if (audio.channels === sound.channels) return null;
  return `with sound of ${audio.channels} channels, not ${sound.channels}`;
}

function lengthFault(
  { expectedSeconds, maxSeconds: mostSeconds, video: picture }: Product,
  { durationSeconds, video }: MediaFacts,
): Fault | null {
  if (expectedSeconds === null || durationSeconds === null) return null;
  const lengths = `${durationSeconds.toFixed(1)} of ${expectedSeconds.toFixed(1)} seconds`;
  const slack = Math.max(1, expectedSeconds * 0.05, 2 * (picture?.frameSeconds ?? 0));
  // A file that was cut off tells its full length all the same, and ffmpeg encodes what there is of it and reports success.
  if (durationSeconds < expectedSeconds - slack && !hasAllFrames(picture, video)) {
    const message = `Only ${lengths} could be encoded: the input is cut short or damaged.`;
    return { errorClass: 'TranscodingError', message };
  }
  if (mostSeconds === null || durationSeconds <= mostSeconds) return null;
  return broken(
    `of ${durationSeconds.toFixed(1)} seconds, where ${expectedSeconds.toFixed(1)} were to be expected`,
  );
}

/** A few may be damaged. Where their number is not known, they are not all there. */
function hasAllFrames(picture: Product['video'], video: MediaFacts['video']): boolean {
  const wanted = picture?.frames ?? null;
  return wanted !== null && (video?.frameCount ?? 0) >= wanted * 0.95;
}
