import type { RenditionFacts } from '../jobs/job.js';
import type { Ratio } from '../jobs/media.js';
import type { Packaging } from '../plan/decide/packaging.js';
import { keyOf, type SegmentEncryption } from './encryption.js';
import { type MediaPlaylist, mediaPlaylistText, type PlaylistSegment } from './media-playlist.js';
import type { Segment } from './segments.js';
import type { WrittenSegment } from './write-segments.js';

/** A segment, and where it was written. */
export interface RenditionSegment {
  readonly segment: Segment;
  readonly written: WrittenSegment;
}

/** A segment as its rate is measured. */
export function sizedSegment({ segment, written }: RenditionSegment) {
  return { durationSeconds: segment.durationSeconds, sizeBytes: written.range.sizeBytes };
}

/** The duration of all segments together, in seconds. */
export function durationOf(segments: readonly RenditionSegment[]): number {
  return segments.reduce((sum, { segment }) => sum + segment.durationSeconds, 0);
}

/** The duration of the longest segment, in seconds. */
export function longestOf(segments: readonly RenditionSegment[]): number {
  return segments.reduce((longest, { segment }) => Math.max(longest, segment.durationSeconds), 0);
}

/**
 * The lowest versions with fractions of seconds, with byte ranges, and with a promise that every segment begins with a
 * keyframe.
 */
const lowestVersion = 3;
const rangesVersion = 4;
const independentVersion = 6;
/** The lowest version with a header for segments that are not keyframes alone. */
const headerVersion = 6;

/** The version of the playlist of a rendition: the given one, or the lowest that it needs. */
function versionOf({ version, hasByteRanges, container }: Packaging): number {
  return version ?? (container === 'fmp4' ? headerVersion : hasByteRanges ? rangesVersion : lowestVersion);
}

/**
 * Whether the playlist says that every segment can be decoded without the one before. `isClosed` is false if frames
 * need those before their keyframe. A client that asks for an old version may not know that tag.
 */
export function isIndependent({ knownVersion }: Packaging, isClosed: boolean): boolean {
  return isClosed && (knownVersion === null || knownVersion >= independentVersion);
}

/**
 * The text of the playlist of a rendition. `header` is that of fragmented MP4, or null. `isClosed`: see {@link
 * isIndependent}.
 */
export function renditionPlaylist(
  segments: readonly RenditionSegment[],
  packaging: Packaging,
  {
    encryption,
    header,
    isClosed,
  }: {
    readonly encryption: SegmentEncryption | null;
    readonly header: NonNullable<MediaPlaylist['header']> | null;
    readonly isClosed: boolean;
  },
): string {
  const playlist: MediaPlaylist = {
    version: versionOf(packaging),
    isIndependent: isIndependent(packaging, isClosed),
    ...(header === null ? {} : { header }),
    segments: segments.map(
      ({ segment, written }, index): PlaylistSegment => ({
        file: written.file.name,
        durationSeconds: segment.durationSeconds,
        ...(packaging.hasByteRanges ? { range: written.range } : {}),
        ...(encryption === null ? {} : keyAt(encryption, index)),
      }),
    ),
  };
  return mediaPlaylistText(playlist);
}

/** The key of a segment, if it is not that of the one before. */
function keyAt(encryption: SegmentEncryption, index: number): Pick<PlaylistSegment, 'key'> {
  const { uri } = keyOf(encryption, index);
  const isSame = index > 0 && keyOf(encryption, index - 1).uri === uri;
  return isSame ? {} : { key: { uri, iv: encryption.iv?.toString('hex') ?? null } };
}

/** A keyframe of a rendition, and where it was written. */
interface WrittenKeyframe {
  readonly file: string;
  readonly seconds: number;
  readonly range: { readonly offset: number; readonly sizeBytes: number };
}

/** A playlist of the keyframes alone, and the size of each for their rates. */
interface KeyframePlaylist {
  readonly text: string;
  readonly keyframes: readonly { readonly durationSeconds: number; readonly sizeBytes: number }[];
}

/** The playlist of the keyframes, as ranges of the segments. `header` is what precedes each of them for a decoder. */
export function keyframePlaylist(
  segments: readonly RenditionSegment[],
  packaging: Packaging,
  header: NonNullable<MediaPlaylist['header']>,
): KeyframePlaylist {
  const last = segments.at(-1)?.segment;
  const endSeconds = last === undefined ? 0 : last.startSeconds + last.durationSeconds;
  const zero = segments[0]?.segment.keyframes[0]?.seconds ?? 0;
  const keyframes = segments.flatMap(({ segment, written: { file, range, headerBytes } }) =>
    segment.keyframes.map(({ seconds, offset, keyframeBytes }): WrittenKeyframe => {
      const start = range.offset + headerBytes - segment.offset;
      return {
        file: file.name,
        seconds: seconds - zero,
        range: { offset: start + offset, sizeBytes: keyframeBytes },
      };
    }),
  );
  const entries = keyframes.map(({ file, seconds, range }, index) => ({
    file,
    range,
    durationSeconds: (keyframes[index + 1]?.seconds ?? endSeconds) - seconds,
  }));
  const text = mediaPlaylistText({
    version: Math.max(versionOf(packaging), rangesVersion),
    isIndependent: false,
    isIframesOnly: true,
    header,
    segments: entries,
  });
  return {
    text,
    keyframes: entries.map(({ durationSeconds, range: { sizeBytes } }) => ({ durationSeconds, sizeBytes })),
  };
}

/** How far the declared frame rate of a file may be from that of its counted frames. */
const rateTolerance = 0.01;

/**
 * The frame rate that playlists declare: that of the file if its frames confirm it. Files with rounded times declare
 * others. Null without video.
 */
export function declaredFrameRate(
  { frameRate: counted }: Pick<RenditionFacts, 'frameRate'>,
  declared: Ratio | null,
): Ratio | null {
  if (counted === undefined) return declared;
  const isConfirmed =
    declared !== null && Math.abs(declared.numerator / declared.denominator / counted - 1) < rateTolerance;
  return isConfirmed ? declared : { numerator: Math.round(counted * 1000), denominator: 1000 };
}
