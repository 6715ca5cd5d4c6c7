import type { RenditionFacts } from '../jobs/job.js';
import type { TrackFacts } from '../jobs/rendition-facts.js';
import { isFragmentedFile, type Packaging, segmentNames } from '../plan/decide/packaging.js';
import { measureRates } from './bitrates.js';
import { writeCaptions } from './caption-renditions.js';
import { cutTrack } from './cut-track.js';
import type { MediaPlaylist } from './media-playlist.js';
import { type FragmentedTracks, openMovie, writeFragmented } from './package-fragmented.js';
import {
  keysOf,
  type PackagedPart,
  type PackagedRendition,
  type PackageOptions,
  pathWith,
  writeContent,
  writeKeyframes,
  writeKeys,
} from './rendition-files.js';
import {
  durationOf,
  isIndependent,
  longestOf,
  renditionPlaylist,
  sizedSegment,
} from './rendition-playlists.js';
import { languageOfTrack } from './sample-tables.js';
import { type TrackDocument, trackDocuments } from './track-documents.js';
import type { PackagedFile } from './write-segments.js';

/** Cuts an MP4 into segments of fragmented MP4, or into fragments of one file: see `packageRendition`. */
export async function packageMovie(path: string, options: PackageOptions): Promise<PackagedRendition> {
  const { packaging, signal } = options;
  const movie = await openMovie(path, packaging);
  const [main] = movie.tracks;
  if (main === undefined) throw new RangeError('the file has no video and no audio');
  const count = packaging.encryption === null ? 0 : [...cutTrack(main, movie.starts)].length;
  const encryption = keysOf(options, count);
  const parts: FragmentedTracks[] = [];
  for (const tracks of packaging.hasSeparateTracks ? movie.tracks.map((one) => [one]) : [movie.tracks]) {
    const kind = packaging.hasSeparateTracks ? (tracks[0]?.kind ?? null) : null;
    const pathOf = (suffix: string) => pathWith(options, suffix);
    parts.push(await writeFragmented(movie, tracks, { packaging, kind, pathOf, encryption, signal }));
  }
  const [first] = parts;
  if (first === undefined || first.segments.length === 0) throw new RangeError('the file has no frames');
  const keyframes =
    main.kind === 'video' ? await writeKeyframes(options, first.segments, mapOf(first, packaging)) : null;
  const captions = await writeCaptions(options, first.segments);
  const files: PackagedFile[] = [
    ...parts.flatMap((part) => part.files),
    ...(await writeKeys(options, encryption)),
    ...captions.files,
    ...(keyframes === null ? [] : [keyframes.file]),
  ];
  const textOf = (part: FragmentedTracks) =>
    renditionPlaylist(part.segments, packaging, {
      encryption,
      header: mapOf(part, packaging),
      isClosed: part.isClosed,
    });
  const tracks = packaging.hasSeparateTracks ? parts.map((part) => trackFacts(part, parts, packaging)) : [];
  const facts = {
    ...renditionFacts(parts, packaging, { tracks, keyframes: keyframes?.facts }),
    ...(captions.facts.length === 0 ? {} : { captions: captions.facts }),
  };
  const verified = parts.map(
    ({ header, segments, tracks: written, isClosed }): PackagedPart => ({
      kind: written.length > 1 ? 'both' : (written[0]?.kind ?? 'both'),
      header: header.bytes,
      segments,
      encryption,
      isClosed,
    }),
  );
  const [file] = first.files;
  if (isFragmentedFile(packaging) && file !== undefined)
    return { main: file, files: [], parts: verified, facts };
  const [document, ...others]: readonly TrackDocument[] = packaging.hasSeparateTracks
    ? trackDocuments(facts, { packaging, media: options.media, playlists: parts.map(textOf) })
    : [{ name: '', text: textOf(first) }];
  if (document === undefined) throw new TypeError('a rendition has no playlist');
  for (const [index, { name, text }] of others.entries())
    files.push(await writeContent(text, { path: pathWith(options, `document-${index + 1}`), name }));
  return {
    main: await writeContent(document.text, { path: pathWith(options, 'playlist'), name: '' }),
    files,
    parts: verified,
    facts,
  };
}

/** The header of a part, as playlists refer to it. */
function mapOf(
  { header: { name, range } }: FragmentedTracks,
  { hasByteRanges }: Packaging,
): NonNullable<MediaPlaylist['header']> {
  return hasByteRanges ? { file: name, range } : { file: name };
}

function renditionFacts(
  parts: readonly FragmentedTracks[],
  packaging: Packaging,
  {
    tracks,
    keyframes,
  }: { readonly tracks: readonly TrackFacts[]; readonly keyframes: RenditionFacts['keyframes'] },
): RenditionFacts {
  const [first, ...others] = parts;
  const segments = first?.segments ?? [];
  const codecOf = (kind: 'video' | 'audio') =>
    parts
      .flatMap((part) =>
        part.tracks.flatMap((track, index) => (track.kind === kind ? part.codecs[index] : [])),
      )
      .find((codec) => codec != null) ?? null;
  // A player of both tracks loads their segments with the same number at one time.
  const sizes = segments.map(sizedSegment);
  for (const { segments: other } of others)
    for (const [index, { segment, written }] of other.entries()) {
      const size = sizes[index];
      // Audio may go on after the video.
      if (size === undefined) sizes.push(sizedSegment({ segment, written }));
      else size.sizeBytes += written.range.sizeBytes;
    }
  const { peak, average } = measureRates(sizes, packaging.segmentSeconds);
  return {
    segments: segments.length,
    longestSegmentSeconds: longestOf(segments),
    videoCodec: codecOf('video'),
    audioCodec: codecOf('audio'),
    ...(first === undefined || first.frames === 0 ? {} : { frameRate: first.frames / durationOf(segments) }),
    peakBitrate: peak,
    averageBitrate: average,
    isIndependent: isIndependent(
      packaging,
      parts.every(({ isClosed }) => isClosed),
    ),
    ...(keyframes === undefined ? {} : { keyframes }),
    ...(tracks.length === 0 ? {} : { tracks }),
  };
}

/** What is declared of a track with segments of its own. */
function trackFacts(
  { tracks, codecs, segments, durations, startTime, header, indexBytes, isClosed }: FragmentedTracks,
  parts: readonly FragmentedTracks[],
  packaging: Packaging,
): TrackFacts {
  const [track] = tracks;
  const [codec] = codecs;
  if (track === undefined) throw new TypeError('a part has no track');
  if (codec == null) throw new RangeError(`the codec of the ${track.kind} has no name in manifests`);
  const { peak, average } = measureRates(segments.map(sizedSegment), packaging.segmentSeconds);
  const names = segmentNames(packaging, track.kind);
  return {
    kind: track.kind,
    codec,
    language: languageOfTrack(track),
    peakBitrate: peak,
    averageBitrate: average,
    longestSegmentSeconds: longestOf(segments),
    ...(isClosed ? {} : { hasLeadingFrames: true }),
    ...(packaging.hasHls && parts.length > 1 ? { playlist: `${names.stem}.m3u8` } : {}),
    files:
      indexBytes > 0
        ? { by: 'range', name: header.name, headerBytes: header.range.sizeBytes, indexBytes }
        : { by: 'segment', header: names.header, stem: names.stem },
    timescale: track.timescale,
    startTime,
    durations: runsOf(durations),
  };
}

/** Numbers in runs of equal ones. */
function runsOf(values: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.[0] === value) last[1] += 1;
    else runs.push([value, 1]);
  }
  return runs;
}
