import type { PackagedPart } from './rendition-files.js';

/** When the segments of a rendition with video begin, as players compare it with that of others. */
export interface SegmentTimes {
  /** The starts of its segments since that of the first, in seconds. */
  readonly starts: readonly number[];
  readonly endSeconds: number;
  /** How long its segments were to be. */
  readonly segmentSeconds: number;
  /** The time between two frames; null if it varies. */
  readonly frameSeconds: number | null;
  /** Whether its keyframes are those of the input, so that its segments begin where these are. */
  readonly isInputCopied: boolean;
}

/** The times of the segments of a part; null if it has no video. */
export function startsOf({
  kind,
  segments,
}: PackagedPart): Pick<SegmentTimes, 'starts' | 'endSeconds'> | null {
  const first = segments[0]?.segment.startSeconds ?? 0;
  const last = segments.at(-1)?.segment;
  if (kind === 'audio' || last === undefined) return null;
  return {
    starts: segments.map(({ segment }) => segment.startSeconds - first),
    endSeconds: last.startSeconds + last.durationSeconds - first,
  };
}

/** A rendition of a playlist. */
export interface NamedTimes extends SegmentTimes {
  /** As messages name it. */
  readonly name: string;
}

/**
 * Where the segments of renditions of one playlist do not begin together, one sentence without its period; null if they
 * do. Renditions with different lengths of segments are not compared. Starts may differ by less than a frame of the
 * slowest rendition, and a rendition may have one more segment that begins with the last such frame.
 */
export function findMisalignment(renditions: readonly NamedTimes[]): string | null {
  const [first, ...others] = renditions;
  for (const other of first === undefined ? [] : others) {
    const found = compare(first ?? other, other);
    if (found !== null) return found;
  }
  return null;
}

/** Times are rounded to units of the container. */
const roundingSeconds = 0.002;

function compare(one: NamedTimes, other: NamedTimes): string | null {
  const { frameSeconds: oneFrame } = one;
  const { frameSeconds: otherFrame } = other;
  if (one.segmentSeconds !== other.segmentSeconds || oneFrame === null || otherFrame === null) return null;
  const tolerance = Math.max(oneFrame, otherFrame) + roundingSeconds;
  const count = Math.max(one.starts.length, other.starts.length);
  for (let index = 0; index < count; index += 1) {
    const [a, b] = [one.starts[index] ?? one.endSeconds, other.starts[index] ?? other.endSeconds];
    if (Math.abs(a - b) <= tolerance) continue;
    const text = (seconds: number) => `${seconds.toFixed(3)} s`;
    return `segment ${index + 1} begins at ${text(a)} in ${one.name} and at ${text(b)} in ${other.name}`;
  }
  return null;
}
