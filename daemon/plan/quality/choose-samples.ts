/** A part of a film that stands for others like it while a quality is searched. */
export interface QualitySample {
  /** Where the measured part begins, in seconds from the start of the clip. */
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  /** Encoded before the measured part, and neither measured nor counted: the encoder needs frames to look back at. */
  readonly leadInSeconds: number;
  /** The part of the film that it stands for, 0-1. All weights add up to 1. */
  readonly weight: number;
}

/** Frames by their numbers, from 0, with both ends. */
export interface FrameRange {
  readonly first: number;
  readonly last: number;
}

/** Shorter clips are encoded as a whole by each probe. */
const minSampledSeconds = 60;
const sampleSeconds = 4;
const maxLeadInSeconds = 1;
const sampleCount = { min: 6, max: 24 } as const;
/** Sources whose parts differ by less, relative to their mean, have a constant bitrate: it says nothing about content. */
const minVariation = 0.05;

/**
 * Chooses the parts of a film that its probes encode. `secondBytes` has the bytes of the source's video for each second
 * of the clip. Bytes are a measure of how hard a part is to encode, so the parts of the film are sorted by them into
 * as many strata as there are samples, and each stratum gets one from its middle. That is exact for any mix of easy and
 * hard parts, where samples at even distances meet them by chance. Null if the film is short and is taken as a whole.
 * Pure.
 */
export function chooseSamples(secondBytes: readonly number[]): readonly QualitySample[] | null {
  if (secondBytes.length < minSampledSeconds) return null;
  const parts = partsOf(secondBytes);
  const minutes = Math.floor(secondBytes.length / 60);
  const count = Math.min(parts.length, sampleCount.max, Math.max(sampleCount.min, minutes));
  const sorted = hasConstantSize(parts) ? parts : [...parts].sort((a, b) => a.bytes - b.bytes);
  const chosen: QualitySample[] = [];
  for (let index = 0; index < count; index += 1) {
    const from = Math.round((index * sorted.length) / count);
    const to = Math.round(((index + 1) * sorted.length) / count);
    const { startSeconds } = farthest(middleOf(sorted.slice(from, to)), chosen);
    chosen.push({
      startSeconds,
      lengthSeconds: sampleSeconds,
      leadInSeconds: Math.min(maxLeadInSeconds, startSeconds),
      weight: (to - from) / sorted.length,
    });
  }
  return chosen.sort((a, b) => a.startSeconds - b.startSeconds);
}

/**
 * As long as a sample. A rest at the end of the film is left out, and so are parts in which no frame begins: there the
 * frame before them stays, as in recordings of a screen.
 */
interface Part {
  readonly startSeconds: number;
  readonly bytes: number;
}

function partsOf(secondBytes: readonly number[]): readonly Part[] {
  const parts = Array.from({ length: Math.floor(secondBytes.length / sampleSeconds) }, (_, index) => {
    const startSeconds = index * sampleSeconds;
    const seconds = secondBytes.slice(startSeconds, startSeconds + sampleSeconds);
    return { startSeconds, bytes: seconds.reduce((sum, bytes) => sum + bytes, 0) };
  });
  const withFrames = parts.filter(({ bytes }) => bytes > 0);
  return withFrames.length > 0 ? withFrames : parts;
}

function hasConstantSize(parts: readonly Part[]): boolean {
  const mean = parts.reduce((sum, { bytes }) => sum + bytes, 0) / parts.length;
  const variance = parts.reduce((sum, { bytes }) => sum + (bytes - mean) ** 2, 0) / parts.length;
  return Math.sqrt(variance) <= minVariation * mean;
}

/** The middle third of a stratum, at least one part. */
function middleOf(stratum: readonly Part[]): readonly Part[] {
  const margin = Math.floor((stratum.length - 1) / 3);
  return stratum.slice(margin, stratum.length - margin);
}

/** The part with the greatest distance in time from all samples chosen so far. */
function farthest(parts: readonly Part[], chosen: readonly QualitySample[]): Part {
  const distance = ({ startSeconds }: Part) =>
    Math.min(...chosen.map((sample) => Math.abs(sample.startSeconds - startSeconds)));
  const middle = parts[Math.floor(parts.length / 2)] ?? { startSeconds: 0, bytes: 0 };
  return parts.reduce((best, part) => (distance(part) > distance(best) ? part : best), middle);
}

/** The numbers of the frames of some samples, in a video with this number of frames and this duration in seconds. */
export function framesOfSamples(
  samples: readonly QualitySample[],
  frameCount: number,
  durationSeconds: number,
): readonly FrameRange[] {
  const numberAt = (seconds: number) =>
    Math.round(Math.min(frameCount, (seconds * frameCount) / durationSeconds));
  return samples
    .map(({ startSeconds, lengthSeconds }) => ({
      first: numberAt(startSeconds),
      last: numberAt(startSeconds + lengthSeconds) - 1,
    }))
    .filter(({ first, last }) => last >= first);
}
