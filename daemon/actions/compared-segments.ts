import { VencError } from '../../src/shared/errors.js';
import type { RenditionFacts } from '../jobs/job.js';
import type { TrackFacts } from '../jobs/rendition-facts.js';

/** A part of a file next to the playlist of an output. */
export interface FilePart {
  readonly name: string;
  readonly offsetBytes: number;
  /** null for the rest of the file. */
  readonly sizeBytes: number | null;
}

/** The segment of an output that has the frame of a time. */
export interface SegmentAt {
  /** What a reader needs in front of the segment; null if that is nothing. */
  readonly header: FilePart | null;
  readonly segment: FilePart;
  /** When it begins, in seconds from the start of the output. */
  readonly startSeconds: number;
}

/** Times in playlists are rounded. */
const toleranceSeconds = 0.0005;

/** The track whose frames are compared, if tracks are in files of their own; undefined otherwise. */
export function videoTrackOf({ tracks = [] }: RenditionFacts): TrackFacts | undefined {
  return tracks.find(({ kind }) => kind === 'video');
}

/** The segment of a track at a time. A track in one file is a file like any other. Pure. */
export function segmentOfTrack({ files, durations, timescale }: TrackFacts, seconds: number): SegmentAt {
  if (files.by === 'range') return { header: null, segment: whole(files.name), startSeconds: 0 };
  const lengths = durations.flatMap(([duration, count]) => Array<number>(count).fill(duration / timescale));
  const { index, startSeconds } = indexAt(lengths, seconds);
  const number = String(index + 1).padStart(5, '0');
  return { header: whole(files.header), segment: whole(`${files.stem}-${number}.m4s`), startSeconds };
}

/**
 * The segment of a playlist of HLS at a time. Throws `ConflictError` if it is not a playlist as the daemon writes them:
 * its files are next to it. Pure.
 */
export function segmentOfPlaylist(playlist: string, seconds: number): SegmentAt {
  let header: FilePart | null = null;
  let lengthSeconds = 0;
  let range: Omit<FilePart, 'name'> | null = null;
  const segments: { readonly part: FilePart; readonly header: FilePart | null; readonly seconds: number }[] =
    [];
  for (const line of playlist.split(/\r?\n/)) {
    const [tag = '', value = ''] = /^(#EXT[^:]*):(.*)$/.exec(line)?.slice(1) ?? [];
    if (tag === '#EXTINF') lengthSeconds = Number.parseFloat(value);
    else if (tag === '#EXT-X-BYTERANGE') range = rangeOf(value);
    else if (tag === '#EXT-X-MAP') {
      const given = /BYTERANGE="([^"]*)"/.exec(value)?.[1];
      header = partOf(/URI="([^"]*)"/.exec(value)?.[1] ?? '', given === undefined ? null : rangeOf(given));
    } else if (line !== '' && !line.startsWith('#')) {
      segments.push({ part: partOf(line, range), header, seconds: lengthSeconds });
      range = null;
    }
  }
  const { index, startSeconds } = indexAt(
    segments.map((one) => one.seconds),
    seconds,
  );
  const found = segments[index];
  if (found === undefined || segments.some((one) => !(one.seconds > 0))) throw unknownPlaylist();
  return { header: found.header, segment: found.part, startSeconds };
}

function whole(name: string): FilePart {
  return { name, offsetBytes: 0, sizeBytes: null };
}

/** The last of consecutive segments that does not begin after a time, and when it begins. */
function indexAt(lengths: readonly number[], seconds: number) {
  let [index, startSeconds] = [0, 0];
  for (const length of lengths.slice(0, -1)) {
    if (startSeconds + length > seconds + toleranceSeconds) break;
    startSeconds += length;
    index += 1;
  }
  return { index, startSeconds };
}

/** `SIZE@OFFSET`. */
function rangeOf(text: string): Omit<FilePart, 'name'> {
  const [, size, offset] = /^(\d{1,15})@(\d{1,15})$/.exec(text) ?? [];
  if (size === undefined || offset === undefined) throw unknownPlaylist();
  return { offsetBytes: Number(offset), sizeBytes: Number(size) };
}

function partOf(address: string, range: Omit<FilePart, 'name'> | null): FilePart {
  let name = '';
  try {
    name = decodeURIComponent(address);
  } catch {
    throw unknownPlaylist();
  }
  if (!/^[^/\\?#:]{1,255}$/.test(name) || /^\.{1,2}$/.test(name)) throw unknownPlaylist();
  return { ...whole(name), ...range };
}

function unknownPlaylist(): VencError {
  return new VencError('ConflictError', 'The playlist of the output has changed since the job was made.');
}
