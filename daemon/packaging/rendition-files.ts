import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RenditionFacts } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { type Packaging, segmentNames } from '../plan/decide/packaging.js';
import type { CaptionRendition, Product } from '../plan/plan-types.js';
import { measureRates } from './bitrates.js';
import { createKeys, type SegmentEncryption } from './encryption.js';
import type { ByteRange, MediaPlaylist } from './media-playlist.js';
import { keyframePlaylist, type RenditionSegment } from './rendition-playlists.js';
import type { Segment } from './segments.js';
import { type PackagedFile, type WriteOptions, writeSegments } from './write-segments.js';

/** Where and how a rendition is packaged. */
export interface PackageOptions {
  /** The folder of the new files. */
  readonly folder: string;
  /** Begins the names of all files in the folder. */
  readonly prefix: string;
  readonly packaging: Packaging;
  readonly captions: readonly CaptionRendition[];
  /** The properties of the file that is cut. */
  readonly media: MediaFacts;
  /** Its tracks of audio; absent if only its own properties count. */
  readonly audio?: Product['audio'];
  /** The key of the request, or that at its address; null if there is none, or for random ones. */
  readonly key: Buffer | null;
  readonly randomKey: () => Buffer;
  readonly signal: AbortSignal;
}

/** A rendition that was cut into segments. */
export interface PackagedRendition {
  /** Its playlist or manifest in the scratch folder; the media if it is only fragmented. */
  readonly main: { readonly path: string; readonly sizeBytes: number };
  /** All other files, in the order in which they are to be delivered. */
  readonly files: readonly PackagedFile[];
  /** What is to be verified: the segments, or those of each track. */
  readonly parts: readonly PackagedPart[];
  readonly facts: RenditionFacts;
}

/** Segments that follow each other. */
export interface PackagedPart {
  readonly kind: 'video' | 'audio' | 'both';
  /** The number of a track of audio with segments of its own, from 0; absent for others. */
  readonly audioIndex?: number;
  /** What a decoder needs in front of a segment; null if each has it. */
  readonly header: Buffer | null;
  readonly segments: readonly RenditionSegment[];
  readonly encryption: SegmentEncryption | null;
  /** Whether no frame needs frames before its keyframe. */
  readonly isClosed: boolean;
}

/** A file whose segments are cut and written. */
export interface CutRendition {
  /** The whole file, or each of its tracks. */
  readonly parts: readonly WrittenPart[];
  readonly encryption: SegmentEncryption | null;
  /** What precedes a keyframe for a decoder; null without video. */
  readonly keyframeHeader: NonNullable<MediaPlaylist['header']> | null;
}

/** Segments that were written, one after the other. */
export interface WrittenPart extends Pick<PackagedPart, 'audioIndex'> {
  readonly kind: PackagedPart['kind'];
  readonly files: readonly PackagedFile[];
  /** The file with what a decoder needs in front of a segment; null if each segment has it. */
  readonly header: { readonly name: string; readonly range: ByteRange; readonly bytes: Buffer } | null;
  readonly segments: readonly RenditionSegment[];
  /** Names of the codecs (RFC 6381); null for none, or for one without a name. */
  readonly codecs: Readonly<Record<'video' | 'audio', string | null>>;
  /** The number of frames of video. */
  readonly frames: number;
  /** Whether no frame needs frames before its keyframe. */
  readonly isClosed: boolean;
  /** The track, if it has segments of its own. */
  readonly track?: WrittenTrack;
}

/** What manifests need of a track. Times are in units of its timescale. */
interface WrittenTrack {
  readonly language: string | null;
  readonly timescale: number;
  /** The size of the index behind the header; 0 if there is none. */
  readonly indexBytes: number;
  readonly startTime: number;
  readonly durations: readonly number[];
}

/** The header of segments, as playlists refer to it. */
export function mapOf(
  { name, range }: NonNullable<WrittenPart['header']>,
  { hasByteRanges }: Packaging,
): NonNullable<MediaPlaylist['header']> {
  return hasByteRanges ? { file: name, range } : { file: name };
}

/** Writes segments that are parts of a file. `extension` is that of their names in the scratch folder. */
export async function writeParts(
  path: string,
  cut: readonly Segment[],
  options: PackageOptions,
  { extension, prefixOf }: Pick<WriteOptions, 'prefixOf'> & { readonly extension: string },
): Promise<Pick<WrittenPart, 'files' | 'segments'> & Pick<CutRendition, 'encryption'>> {
  const { packaging, signal } = options;
  const names = segmentNames(packaging, null);
  const to = cut.map((_, index) => ({
    name: names.segment(index),
    path: pathWith(options, `${packaging.hasByteRanges ? 'all' : index + 1}${extension}`),
  }));
  const encryption = keysOf(options, cut.length);
  const { files, segments } = await writeSegments(path, cut, { files: to, prefixOf, encryption, signal });
  const written = segments.flatMap((one, index): readonly RenditionSegment[] => {
    const segment = cut[index];
    return segment === undefined ? [] : [{ segment, written: one }];
  });
  return { files, segments: written, encryption };
}

/** The path of a file in the folder. Names from requests may contain anything, so the files have others there. */
export function pathWith(
  { folder, prefix }: Pick<PackageOptions, 'folder' | 'prefix'>,
  suffix: string,
): string {
  return join(folder, `${prefix}-${suffix}`);
}

/** The keys of a rendition of so many segments; null if they are not encrypted. */
export function keysOf(
  { packaging: { stem, encryption }, key, randomKey }: PackageOptions,
  segmentCount: number,
): SegmentEncryption | null {
  return encryption === null
    ? null
    : createKeys({ stem, encryption }, segmentCount, { given: key, randomKey });
}

/** Writes the files of keys that are delivered. */
export async function writeKeys(
  options: PackageOptions,
  encryption: SegmentEncryption | null,
): Promise<readonly PackagedFile[]> {
  const files: PackagedFile[] = [];
  for (const [index, { bytes, name }] of (encryption?.keys ?? []).entries())
    if (name !== null)
      files.push(await writeContent(bytes, { path: pathWith(options, `${index + 1}.key`), name }));
  return files;
}

/** Writes the playlist of the keyframes, if one is wanted. `header` is what precedes each keyframe for a decoder. */
export async function writeKeyframes(
  options: PackageOptions,
  segments: readonly RenditionSegment[],
  header: NonNullable<MediaPlaylist['header']>,
): Promise<{ readonly file: PackagedFile; readonly facts: NonNullable<RenditionFacts['keyframes']> } | null> {
  const { packaging } = options;
  const name = packaging.keyframePlaylist;
  if (name === null) return null;
  const { text, keyframes } = keyframePlaylist(segments, packaging, header);
  const { peak, average } = measureRates(keyframes, packaging.segmentSeconds);
  return {
    file: await writeContent(text, { path: pathWith(options, 'keyframes.m3u8'), name }),
    facts: { name, peakBitrate: peak, averageBitrate: average },
  };
}

/** Writes a small file. */
export async function writeContent(
  content: string | Buffer,
  { path, name }: Pick<PackagedFile, 'path' | 'name'>,
): Promise<PackagedFile> {
  await writeFile(path, content);
  return { path, name, sizeBytes: Buffer.byteLength(content) };
}
