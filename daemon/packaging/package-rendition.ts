import type { RenditionFacts } from '../jobs/job.js';
import type { TrackFacts } from '../jobs/rendition-facts.js';
import { isFragmentedFile, type Packaging, segmentNames, trackNameOf } from '../plan/decide/packaging.js';
import { measureRates } from './bitrates.js';
import { writeCaptions } from './caption-renditions.js';
import { cutMovie } from './cut-movie.js';
import { cutPackedAudio } from './cut-packed-audio.js';
import { cutTransportStream } from './cut-transport-stream.js';
import {
  mapOf,
  type PackagedPart,
  type PackagedRendition,
  type PackageOptions,
  pathWith,
  type WrittenPart,
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
import { type TrackDocument, trackDocuments } from './track-documents.js';
import type { PackagedFile } from './write-segments.js';

/** How a file is cut at its access points, by the container of its segments. */
const cutters = {
  ts: cutTransportStream,
  fmp4: cutMovie,
  aac: cutPackedAudio,
  mp3: cutPackedAudio,
  ac3: cutPackedAudio,
  ec3: cutPackedAudio,
} as const;

/**
 * Cuts an encoded file into segments, or into fragments of one file, and writes them and their playlists from what was
 * measured. The file at `path` is left unchanged or moved. Throws `RangeError` if it has no frames.
 */
export async function packageRendition(path: string, options: PackageOptions): Promise<PackagedRendition> {
  const { packaging, media } = options;
  const { parts, encryption, keyframeHeader } = await cutters[packaging.container](path, options);
  const [first] = parts;
  if (first === undefined || first.segments.length === 0) throw new RangeError('the file has no frames');
  const keyframes =
    keyframeHeader === null ? null : await writeKeyframes(options, first.segments, keyframeHeader);
  const captions = await writeCaptions(options, first.segments);
  const files: PackagedFile[] = [
    ...parts.flatMap((part) => part.files),
    ...(await writeKeys(options, encryption)),
    ...captions.files,
    ...(keyframes === null ? [] : [keyframes.file]),
  ];
  const tracks = packaging.hasSeparateTracks ? parts.map((part) => trackFacts(part, parts, options)) : [];
  const facts: RenditionFacts = {
    ...renditionFacts(first, parts, packaging),
    ...(keyframes === null ? {} : { keyframes: keyframes.facts }),
    ...(tracks.length === 0 ? {} : { tracks }),
    ...(captions.facts.length === 0 ? {} : { captions: captions.facts }),
  };
  const verified = parts.map(
    ({ kind, audioIndex = 0, header, segments, isClosed }): PackagedPart => ({
      ...{ kind, audioIndex, header: header?.bytes ?? null, segments, encryption, isClosed },
    }),
  );
  const [file] = first.files;
  if (isFragmentedFile(packaging) && file !== undefined)
    return { main: file, files: [], parts: verified, facts };
  const playlists = parts.map(({ segments, header, isClosed }) =>
    renditionPlaylist(segments, packaging, {
      encryption,
      header: header === null ? null : mapOf(header, packaging),
      isClosed,
    }),
  );
  const [document, ...others]: readonly TrackDocument[] = packaging.hasSeparateTracks
    ? trackDocuments(facts, { packaging, media, playlists })
    : [{ name: '', text: playlists[0] ?? '' }];
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

function renditionFacts(
  { segments, frames }: WrittenPart,
  parts: readonly WrittenPart[],
  packaging: Packaging,
): RenditionFacts {
  const codecOf = (kind: 'video' | 'audio') =>
    parts.map(({ codecs }) => codecs[kind]).find((codec) => codec !== null) ?? null;
  // A player of both tracks loads their segments with the same number at one time.
  const sizes = segments.map(sizedSegment);
  const others = parts.slice(1).map((part) => part.segments.map(sizedSegment));
  const isVideoFirst = parts[0]?.kind === 'video';
  for (let index = 0; index < Math.max(0, ...others.map(({ length }) => length)); index += 1) {
    // A player loads one of several tracks of audio: the largest counts.
    const [first, ...rest] = others.flatMap((part) => part[index] ?? []);
    if (first === undefined) continue;
    const largest = rest.reduce((most, one) => (one.sizeBytes > most.sizeBytes ? one : most), first);
    const size = sizes[index];
    // Audio may go on after the video.
    if (size === undefined) sizes.push(largest);
    else if (isVideoFirst) size.sizeBytes += largest.sizeBytes;
    else size.sizeBytes = Math.max(size.sizeBytes, largest.sizeBytes);
  }
  const { peak, average } = measureRates(sizes, packaging.segmentSeconds);
  return {
    segments: segments.length,
    longestSegmentSeconds: longestOf(segments),
    videoCodec: codecOf('video'),
    audioCodec: codecOf('audio'),
    ...(frames === 0 ? {} : { frameRate: frames / durationOf(segments) }),
    peakBitrate: peak,
    averageBitrate: average,
    isIndependent: isIndependent(
      packaging,
      parts.every(({ isClosed }) => isClosed),
    ),
  };
}

/** What is declared of a track with segments of its own. */
function trackFacts(
  { kind, audioIndex = 0, codecs, segments, track, header, isClosed }: WrittenPart,
  parts: readonly WrittenPart[],
  { packaging, audio = [] }: PackageOptions,
): TrackFacts {
  if (track === undefined || header === null || kind === 'both')
    throw new TypeError('a part has several tracks');
  const codec = codecs[kind];
  if (codec === null) throw new RangeError(`the codec of the ${kind} has no name in manifests`);
  const { peak, average } = measureRates(segments.map(sizedSegment), packaging.segmentSeconds);
  const names = segmentNames(packaging, trackNameOf(kind, audioIndex));
  const planned = kind === 'audio' ? audio[audioIndex] : undefined;
  const { title, dispositions } = planned?.labels ?? {};
  const { language, timescale, indexBytes, startTime, durations } = track;
  return {
    ...{ kind, codec, language: planned?.language ?? language },
    ...(title === undefined ? {} : { title }),
    ...(dispositions === undefined ? {} : { purposes: dispositions }),
    ...(planned === undefined ? {} : { channels: planned.channels, sampleRate: planned.sampleRate }),
    ...{ peakBitrate: peak, averageBitrate: average },
    longestSegmentSeconds: longestOf(segments),
    ...(isClosed ? {} : { hasLeadingFrames: true }),
    ...(packaging.hasHls && parts.length > 1 ? { playlist: `${names.stem}.m3u8` } : {}),
    files:
      indexBytes > 0
        ? { by: 'range', name: header.name, headerBytes: header.range.sizeBytes, indexBytes }
        : { by: 'segment', header: names.header, stem: names.stem },
    ...{ timescale, startTime, durations: runsOf(durations) },
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
