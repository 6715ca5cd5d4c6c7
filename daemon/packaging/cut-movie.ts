import { type FileHandle, open } from 'node:fs/promises';
import { isFragmentedFile, type Packaging, segmentNames, trackNameOf } from '../plan/decide/packaging.js';
import {
  cutTrack,
  endOf,
  presentedSamples,
  type SegmentStarts,
  segmentStarts,
  type TrackSegment,
} from './cut-track.js';
import type { SegmentEncryption } from './encryption.js';
import { fragmentHeader, headerOf, indexBytes, segmentIndex } from './movie-fragments.js';
import {
  type CutRendition,
  keysOf,
  mapOf,
  type PackageOptions,
  pathWith,
  type WrittenPart,
} from './rendition-files.js';
import type { RenditionSegment } from './rendition-playlists.js';
import { codecOfTrack } from './sample-entries.js';
import { languageOfTrack, type Sample, type Track, tracksOf } from './sample-tables.js';
import { type AccessPoint, endOfStreams } from './segments.js';
import { readPart, SegmentWriter } from './write-segments.js';

/** Cuts an MP4 at its keyframes into segments of fragmented MP4, or into fragments of one file. */
export async function cutMovie(path: string, options: PackageOptions): Promise<CutRendition> {
  const { packaging } = options;
  const movie = await openMovie(path, packaging);
  const [main] = movie.tracks;
  if (main === undefined) throw new RangeError('the file has no video and no audio');
  const count = packaging.encryption === null ? 0 : [...cutTrack(main, movie.starts)].length;
  const encryption = keysOf(options, count);
  const parts: WrittenPart[] = [];
  for (const tracks of packaging.hasSeparateTracks ? movie.tracks.map((one) => [one]) : [movie.tracks]) {
    const audioIndex = Math.max(
      0,
      movie.tracks.filter(({ kind }) => kind === 'audio').indexOf(tracks[0] ?? main),
    );
    parts.push(await writeFragmented({ ...movie, audioIndex }, tracks, options, encryption));
  }
  const header = parts[0]?.header ?? null;
  const keyframeHeader = main.kind === 'video' && header !== null ? mapOf(header, packaging) : null;
  return { parts, encryption, keyframeHeader };
}

/** Writes the header and the segments of some tracks of a movie. */
async function writeFragmented(
  movie: Movie & { readonly audioIndex: number },
  tracks: readonly Track[],
  options: PackageOptions,
  encryption: SegmentEncryption | null,
): Promise<WrittenPart> {
  const { packaging, signal } = options;
  const { audioIndex } = movie;
  const [main] = tracks;
  if (main === undefined) throw new TypeError('there is no track to write');
  const name = packaging.hasSeparateTracks ? trackNameOf(main.kind, audioIndex) : null;
  const names = segmentNames(packaging, name);
  const hasIndex = packaging.hasByteRanges && (packaging.dashProfile !== null || isFragmentedFile(packaging));
  const reserved = hasIndex ? indexBytes([...cutTrack(main, movie.starts)].length) : 0;
  const suffix = name === null ? '' : `${name}-`;
  const headerFile = { name: names.header, path: pathWith(options, `${suffix}header.mp4`) };
  const fileOf = (index: number) =>
    packaging.hasByteRanges
      ? headerFile
      : { name: names.segment(index), path: pathWith(options, `${suffix}${index + 1}.m4s`) };
  const header = headerOf(movie.moov, tracks, packaging.hasSeparateTracks);
  const writer = new SegmentWriter(encryption);
  const readers: SampleReader[] = [];
  const segments: RenditionSegment[] = [];
  const durations: number[] = [];
  let startTime = 0;
  let frames = 0;
  let isClosed = true;
  try {
    for (const _ of tracks) readers.push(await SampleReader.open(movie.path, signal));
    await writer.appendOutside(headerFile, Buffer.concat([header, Buffer.alloc(reserved)]));
    const others = tracks.slice(1).map((track) => bySegment(cutTrack(track, movie.starts)));
    let sequenceNumber = 0;
    for (const part of cutTrack(main, movie.starts)) {
      const index = segments.length;
      const file = fileOf(index);
      await writer.begin(file);
      const keyframes: AccessPoint[] = [];
      let position = 0;
      for (const [trackIndex, track] of tracks.entries()) {
        const cut = trackIndex === 0 ? part : others[trackIndex - 1]?.(part.index);
        for (const samples of cut?.fragments ?? []) {
          const head = fragmentHeader({ trackId: track.id, samples }, ++sequenceNumber);
          if (track.kind === 'video') frames += samples.length;
          if (track.kind === 'video' && frames > samples.length && hasLeadingFrames(samples))
            isClosed = false;
          if (track.kind === 'video')
            keyframes.push(keyframeOf(samples, track, position + head.length, position));
          await writer.append(head);
          position += head.length;
          for await (const bytes of readers[trackIndex]?.read(samples) ?? []) {
            await writer.append(bytes);
            position += bytes.length;
          }
        }
      }
      const range = await writer.end();
      if (index === 0) startTime = part.startTime;
      durations.push(part.duration);
      segments.push({
        segment: segmentOf(part, main, { startTime, sizeBytes: position, keyframes }),
        written: { file, range, headerBytes: 0 },
      });
    }
    extendLast(segments, { tracks, frames, startTime });
    if (hasIndex) {
      const entries = segments.map(({ written }, index) => ({
        sizeBytes: written.range.sizeBytes,
        duration: durations[index] ?? 0,
      }));
      await writer.replace(segmentIndex(main, entries), header.length);
    }
    const codecOf = (wanted: Track['kind']) => {
      const track = tracks.find((one) => one.kind === wanted);
      return track === undefined ? null : codecOfTrack(track);
    };
    const { timescale } = main;
    const track = { language: languageOfTrack(main), timescale, indexBytes: reserved, startTime, durations };
    return {
      kind: tracks.length > 1 ? 'both' : main.kind,
      audioIndex,
      files: await writer.close(),
      header: { name: headerFile.name, range: { offset: 0, sizeBytes: header.length }, bytes: header },
      segments,
      codecs: { video: codecOf('video'), audio: codecOf('audio') },
      ...{ frames, isClosed },
      ...(name === null ? {} : { track }),
    };
  } finally {
    await writer.close();
    await Promise.all(readers.map((reader) => reader.close()));
  }
}

/** Whether frames are shown before the keyframe that they follow: they need frames before it (open GOP). */
function hasLeadingFrames([first, ...others]: readonly Sample[]): boolean {
  return first !== undefined && others.some(({ time }) => time < first.time);
}

/** Gives the last segment of several tracks the time of audio that is longer than the video. */
function extendLast(
  segments: RenditionSegment[],
  {
    tracks,
    frames,
    startTime,
  }: { readonly tracks: readonly Track[]; readonly frames: number; readonly startTime: number },
): void {
  const last = segments.at(-1);
  const [main, other] = tracks;
  if (last === undefined || main === undefined || other === undefined) return;
  const { startSeconds, durationSeconds } = last.segment;
  const video = startSeconds + durationSeconds;
  const audio = endOf(other) - startTime / main.timescale;
  const end = endOfStreams({ video, audio, frameSeconds: video / frames }) ?? video;
  segments[segments.length - 1] = {
    ...last,
    segment: { ...last.segment, durationSeconds: end - startSeconds },
  };
}

/**
 * Returns the part of a track that belongs to a segment; null if it has none there. To be called with rising numbers.
 */
function bySegment(parts: Iterator<TrackSegment>): (index: number) => TrackSegment | null {
  let next = parts.next();
  return (index) => {
    if (next.done === true || next.value.index !== index) return null;
    const part = next.value;
    next = parts.next();
    return part;
  };
}

function segmentOf(
  { startTime, duration }: TrackSegment,
  { timescale }: Track,
  written: {
    readonly startTime: number;
    readonly sizeBytes: number;
    readonly keyframes: readonly AccessPoint[];
  },
) {
  return {
    startSeconds: (startTime - written.startTime) / timescale,
    durationSeconds: duration / timescale,
    offset: 0,
    sizeBytes: written.sizeBytes,
    keyframes: written.keyframes,
  };
}

/** The keyframe at the start of a fragment: it is read with the boxes in front of it. */
function keyframeOf(
  samples: readonly Sample[],
  { timescale }: Track,
  mediaAt: number,
  offset: number,
): AccessPoint {
  const { time = 0, sizeBytes = 0 } = samples[0] ?? {};
  return { offset, seconds: time / timescale, keyframeBytes: mediaAt - offset + sizeBytes };
}

/** A movie that is to be written as fragmented MP4. */
interface Movie {
  readonly path: string;
  /** The content of its box `moov`. */
  readonly moov: Buffer;
  /** Its tracks, video before audio. */
  readonly tracks: readonly Track[];
  readonly starts: SegmentStarts;
}

/** Opens an MP4 that ffmpeg wrote. Throws `RangeError` if it has no frames. */
async function openMovie(
  path: string,
  { segmentSeconds, hasSeparateTracks }: Pick<Packaging, 'segmentSeconds' | 'hasSeparateTracks'>,
): Promise<Movie> {
  const handle = await open(path, 'r');
  try {
    const moov = await readMovieBox(handle);
    const all = tracksOf(moov);
    const ofKind = (kind: Track['kind']) => all.filter((track) => track.kind === kind);
    const audio = hasSeparateTracks ? ofKind('audio') : ofKind('audio').slice(0, 1);
    const tracks = [...ofKind('video').slice(0, 1), ...audio];
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

/** As large as possible without a noticeable delay of an abort. */
const blockBytes = 1 << 20;

/**
 * Reads samples in their order. Those of other tracks are between them, so the file is read in blocks. The memory is
 * allocated once: that of many blocks would be freed late.
 */
class SampleReader {
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  readonly #block = Buffer.allocUnsafe(blockBytes);
  readonly #pending = Buffer.allocUnsafe(blockBytes);
  /** The part of the file that is in the block. */
  #offset = 0;
  #length = 0;

  /** Opens a file for the samples of one track. */
  static async open(path: string, signal: AbortSignal): Promise<SampleReader> {
    return new SampleReader(await open(path, 'r'), signal);
  }

  private constructor(handle: FileHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  /** The bytes of some samples, in pieces of limited size. A piece is valid until the next one is asked for. */
  async *read(samples: readonly Sample[]): AsyncGenerator<Buffer> {
    let size = 0;
    for (const { offset, sizeBytes } of samples) {
      for (let done = 0; done < sizeBytes; ) {
        if (size === blockBytes) {
          yield this.#pending;
          size = 0;
        }
        const piece = await this.#part(offset + done, Math.min(sizeBytes - done, blockBytes - size));
        size += piece.copy(this.#pending, size);
        done += piece.length;
      }
    }
    if (size > 0) yield this.#pending.subarray(0, size);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** The bytes at an offset: at most so many, and at least one. */
  async #part(offset: number, sizeBytes: number): Promise<Buffer> {
    const start = offset - this.#offset;
    if (start >= 0 && start < this.#length)
      return this.#block.subarray(start, Math.min(start + sizeBytes, this.#length));
    this.#signal.throwIfAborted();
    const { bytesRead } = await this.#handle.read(this.#block, 0, blockBytes, offset);
    this.#offset = offset;
    this.#length = bytesRead;
    if (bytesRead === 0) throw new RangeError('the file is shorter than it was');
    return this.#block.subarray(0, Math.min(sizeBytes, bytesRead));
  }
}
