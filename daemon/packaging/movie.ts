import { type FileHandle, open } from 'node:fs/promises';
import type { Packaging } from '../plan/decide/packaging.js';
import { presentedSamples, type SegmentStarts, segmentStarts } from './cut-track.js';
import { type Track, tracksOf } from './sample-tables.js';
import { readPart } from './write-segments.js';

/** A movie that is to be written as fragmented MP4. */
export interface Movie {
  readonly path: string;
  /** The content of its box `moov`. */
  readonly moov: Buffer;
  /** Its tracks, video before audio. */
  readonly tracks: readonly Track[];
  readonly starts: SegmentStarts;
}

/** Opens an MP4 that ffmpeg wrote. Throws `RangeError` if it has no frames. */
export async function openMovie(
  path: string,
  { segmentSeconds, hasSeparateTracks }: Pick<Packaging, 'segmentSeconds' | 'hasSeparateTracks'>,
): Promise<Movie> {
  const handle = await open(path, 'r');
  try {
    const moov = await readMovieBox(handle);
    const order = ['video', 'audio'] as const;
    const all = tracksOf(moov);
    const tracks = order.flatMap((kind) => all.find((track) => track.kind === kind) ?? []);
    if (tracks.every((track) => presentedSamples(track).next().done === true))
      throw new RangeError('the file has no frames');
    return { path, moov, tracks, starts: segmentStarts(tracks, segmentSeconds, !hasSeparateTracks) };
  } finally {
    await handle.close();
  }
}

/** Reads the content of the box `moov`, wherever it is in the file. */
async function readMovieBox(handle: FileHandle): Promise<Buffer> {
  for (let offset = 0; ; ) {
    const header = await readPart(handle, { offset, sizeBytes: 16 });
    if (header.length < 8) throw new RangeError('the file has no box moov');
    const short = header.readUInt32BE(0);
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
    if (header.toString('latin1', 4, 8) === 'moov')
      return readPart(handle, { offset: offset + 8, sizeBytes: size - 8 });
    if (size < 8) throw new RangeError('the file has no box moov');
    offset += size;
  }
}
