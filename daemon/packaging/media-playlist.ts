/** A part of a file: `BYTERANGE` of RFC 8216. */
export interface ByteRange {
  readonly offset: number;
  readonly sizeBytes: number;
}

/** An entry of a media playlist. */
export interface PlaylistSegment {
  /** Name of the file, next to the playlist. It is percent-encoded here. */
  readonly file: string;
  readonly durationSeconds: number;
  /** Absent for the whole file. */
  readonly range?: ByteRange;
  /** The key of this segment and the following ones, if it differs from that of the segment before. */
  readonly key?: { readonly uri: string; readonly iv: string | null };
}

/** A media playlist. */
export interface MediaPlaylist {
  /** The protocol version to declare. */
  readonly version: number;
  readonly segments: readonly PlaylistSegment[];
  /** The header of fragmented MP4. */
  readonly header?: { readonly file: string; readonly range?: ByteRange };
  /** Whether every segment begins with a keyframe. */
  readonly isIndependent: boolean;
  readonly isIframesOnly?: true;
}

/** Versions before this one have durations in whole seconds. */
const fractionalVersion = 3;

/**
 * The text of a media playlist (RFC 8216, section 4.3). Durations have six decimals; before version 3 they are whole
 * seconds, each the difference of rounded times, so that their sum does not drift.
 */
export function mediaPlaylistText(playlist: MediaPlaylist): string {
  const { version, segments, header, isIndependent, isIframesOnly } = playlist;
  const durations = version < fractionalVersion ? wholeDurations(segments) : exactDurations(segments);
  // No rounded duration may exceed the target. Whole durations may be a second longer than the exact ones.
  const target = durations.reduce((longest, text) => Math.max(longest, Math.round(Number(text))), 1);
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${version}`,
    `#EXT-X-TARGETDURATION:${target}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    ...(isIndependent ? ['#EXT-X-INDEPENDENT-SEGMENTS'] : []),
    ...(isIframesOnly === true ? ['#EXT-X-I-FRAMES-ONLY'] : []),
    ...(header === undefined ? [] : [mapLine(header)]),
    ...segments.flatMap(({ file, range, key }, index) => [
      ...(key === undefined ? [] : [keyLine(key)]),
      `#EXTINF:${durations[index]},`,
      ...(range === undefined ? [] : [`#EXT-X-BYTERANGE:${rangeText(range)}`]),
      encodeURIComponent(file),
    ]),
    '#EXT-X-ENDLIST',
  ];
  return `${lines.join('\n')}\n`;
}

function exactDurations(segments: readonly PlaylistSegment[]): readonly string[] {
  return segments.map(({ durationSeconds }) => durationSeconds.toFixed(6));
}

function wholeDurations(segments: readonly PlaylistSegment[]): readonly string[] {
  let end = 0;
  return segments.map(({ durationSeconds }) => {
    const start = end;
    end += durationSeconds;
    return String(Math.round(end) - Math.round(start));
  });
}

function mapLine({ file, range }: NonNullable<MediaPlaylist['header']>): string {
  const uri = `#EXT-X-MAP:URI="${encodeURIComponent(file)}"`;
  return range === undefined ? uri : `${uri},BYTERANGE="${rangeText(range)}"`;
}

function keyLine({ uri, iv }: NonNullable<PlaylistSegment['key']>): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${uri}"${iv === null ? '' : `,IV=0x${iv}`}`;
}

function rangeText({ offset, sizeBytes }: ByteRange): string {
  return `${sizeBytes}@${offset}`;
}
