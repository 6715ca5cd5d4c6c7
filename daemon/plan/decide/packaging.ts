import { isEncrypted } from '../../../src/shared/settings/encryption.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import {
  isDash,
  isSegmented,
  segmentFormat,
  wantsKeyframePlaylist,
} from '../../../src/shared/settings/segments.js';
import { withoutExtension } from '../../../src/shared/text/url-text.js';

/**
 * How a rendition is cut into segments. Without HLS and DASH it is one file of fragmented MP4, which has no playlist.
 */
export interface Packaging {
  /** The name of its playlist without the extension; the names of its other files begin with it. */
  readonly stem: string;
  readonly container: 'ts' | 'fmp4' | PackedAudio;
  /** Whether each track has segments of its own, in fragmented MP4. */
  readonly hasSeparateTracks: boolean;
  /** Whether it has playlists of HTTP Live Streaming. */
  readonly hasHls: boolean;
  /** The profile of its DASH manifest; null if it has none. */
  readonly dashProfile: DashProfile | null;
  /** The longest segment, as far as keyframes allow it. */
  readonly segmentSeconds: number;
  /** Whether all segments are in one file. */
  readonly hasByteRanges: boolean;
  /** The version to declare; null for the lowest one that the playlist needs. */
  readonly version: number | null;
  /** The highest version that the client expects; null if it does not say. */
  readonly knownVersion: number | null;
  /** Name of the playlist of keyframes (`generate_keyframe_manifest`); null for none. */
  readonly keyframePlaylist: string | null;
  /** Null if the segments are not encrypted. */
  readonly encryption: EncryptionDecision | null;
}

/** The formats of packed audio: segments of frames behind a tag with their time (RFC 8216, section 3.4). */
type PackedAudio = 'aac' | 'mp3' | 'ac3' | 'ec3';

/** How segments are encrypted. */
export interface EncryptionDecision {
  /** 32 hexadecimal digits; null for that at `keyUrl`, or for random ones. */
  readonly key: string | null;
  /** The address of the key, as the playlist has it; null if key files are delivered. */
  readonly keyUrl: string | null;
  /** What precedes the names of key files in the playlist; null for nothing. */
  readonly urlPrefix: string | null;
  /** A new key follows after this number of segments; null for one key. */
  readonly periodSegments: number | null;
  /** 32 hexadecimal digits; null for the number of the segment. */
  readonly iv: string | null;
}

/** The profiles of DASH (`streaming_delivery_profile`). */
export type DashProfile = NonNullable<OutputSettings['streaming_delivery_profile']>;

/** The longest segment of an output without `segment_seconds`, in seconds. */
const defaultSegmentSeconds = { hls: 10, dash: 2, cmaf: 6 } as const;

/**
 * The lengths of the segments into which an output or a copy of its video is cut, in seconds: the video needs keyframes
 * at their multiples. `outputs` are all outputs of the job; no `source` leads back to its own output.
 */
export function segmentGridsOf(
  settings: OutputSettings,
  outputs: readonly OutputSettings[],
): readonly number[] {
  const copies = outputs.filter(
    ({ source, copy_video }) =>
      source !== undefined && source === settings.label && copy_video !== undefined && copy_video !== false,
  );
  return [
    ...(isSegmented(settings) ? [segmentSecondsOf(settings)] : []),
    ...copies.flatMap((copy) => segmentGridsOf(copy, outputs)),
  ];
}

function segmentSecondsOf(settings: OutputSettings): number {
  const { segment_seconds: seconds, packaging } = settings;
  return seconds ?? defaultSegmentSeconds[packaging ?? (isDash(settings) ? 'dash' : 'hls')];
}

/**
 * How an output of captions is cut (`format: m3u8`): as the first segmented output of the job, if there is one. Not
 * cut, it has one segment. The times are those of transport streams unless all segmented outputs are fragmented MP4,
 * whose times count from 0.
 */
export function captionGridOf(
  { segment_seconds: seconds, segmented: isCut = true }: OutputSettings,
  outputs: readonly { readonly settings: OutputSettings }[],
): { readonly segmentSeconds: number; readonly isTransportStream: boolean } {
  const [first, ...others] = outputs.map(({ settings }) => settings).filter(isSegmented);
  const grid = seconds ?? (first === undefined ? defaultSegmentSeconds.hls : segmentSecondsOf(first));
  const isFragmented = (settings: OutputSettings) => segmentFormat(settings) === 'm4f';
  return {
    segmentSeconds: isCut ? grid : Number.POSITIVE_INFINITY,
    isTransportStream: first === undefined || ![first, ...others].every(isFragmented),
  };
}

/** Versions below this one have whole seconds, which a playlist has only if it must. */
const fractionalVersion = 3;

function givenVersion({
  hls_protocol_version: version,
  max_hls_protocol_version: max,
}: OutputSettings): number | null {
  return version ?? (max !== undefined && max < fractionalVersion ? max : null);
}

/** The containers of segments, by the values of `format`. */
const containers: Readonly<Record<string, Packaging['container']>> = {
  ts: 'ts',
  m4f: 'fmp4',
  aac: 'aac',
  mp3: 'mp3',
  ac3: 'ac3',
  ec3: 'ec3',
  eac3: 'ec3',
};

/** The values of `format` of a segmented output. */
export const segmentedFormats: readonly string[] = Object.keys(containers);

/** The profile of the manifest of a segmented output; null if it has none. */
export function dashProfileOf(settings: OutputSettings): DashProfile | null {
  const { byte_range_segmenting, streaming_delivery_profile: profile = 'live', packaging } = settings;
  if (packaging === undefined && !isDash(settings)) return null;
  if (byte_range_segmenting === true) return 'on_demand';
  // The segments of CMAF are those of HLS.
  return packaging === undefined ? profile : 'live';
}

/**
 * One file of fragmented MP4 with an index in front. The index has an entry for each of these seconds that begins with
 * a keyframe.
 */
const fragmentedFile: Packaging = {
  stem: '',
  container: 'fmp4',
  hasSeparateTracks: false,
  hasHls: false,
  dashProfile: null,
  segmentSeconds: 2,
  hasByteRanges: true,
  version: null,
  knownVersion: null,
  keyframePlaylist: null,
  encryption: null,
};

/** Whether an output is one file of fragmented MP4, and has no playlist. */
export function isFragmentedFile({ hasHls, dashProfile }: Packaging): boolean {
  return !hasHls && dashProfile === null;
}

/**
 * Decides how an output is cut into segments, or fragmented; null if it is neither. `filename` is that of its playlist,
 * and `extension` that of its container.
 */
export function decidePackaging(
  settings: OutputSettings,
  { filename, extension }: { readonly filename: string; readonly extension: string },
  hasVideo: boolean,
): Packaging | null {
  if (!isSegmented(settings)) return extension === '.m4f' ? fragmentedFile : null;
  const { keyframe_manifest_filename: keyframeName, streaming_delivery_profile: profile } = settings;
  const stem = withoutExtension(filename);
  const encryption = decideEncryption(settings);
  const isCmaf = settings.packaging === 'cmaf';
  const hasHls = isCmaf || !isDash(settings);
  const hasByteRanges = settings.byte_range_segmenting === true || (!hasHls && profile === 'on_demand');
  return {
    stem,
    container: containers[segmentFormat(settings)] ?? 'fmp4',
    hasSeparateTracks: isCmaf || isDash(settings),
    hasHls,
    dashProfile: dashProfileOf(settings),
    segmentSeconds: segmentSecondsOf(settings),
    hasByteRanges,
    version: givenVersion(settings),
    knownVersion: settings.hls_protocol_version ?? settings.max_hls_protocol_version ?? null,
    keyframePlaylist:
      hasHls && hasVideo && wantsKeyframePlaylist(settings) && encryption === null
        ? (keyframeName ?? `${stem}-iframe-index.m3u8`)
        : null,
    encryption,
  };
}

/** Decides how the segments of an output are encrypted; null if they are not. */
export function decideEncryption(settings: OutputSettings): EncryptionDecision | null {
  if (!isEncrypted(settings)) return null;
  const digits = (text: string | undefined) => text?.replace(/^0x/i, '').toLowerCase() ?? null;
  return {
    key: digits(settings.encryption_key),
    keyUrl: settings.encryption_key_url ?? null,
    urlPrefix: settings.encryption_key_url_prefix ?? null,
    periodSegments: settings.encryption_key_rotation_period ?? null,
    iv: digits(settings.encryption_iv),
  };
}

/** Names of segments have five digits, or more if there are more segments. */
const numberDigits = 5;

/** The names of the segments of a rendition, or of one of its tracks if these are separate. */
interface SegmentNames {
  /** What the names begin with. */
  readonly stem: string;
  /** The name of the header of fragmented MP4, which precedes the first segment if all are in one file. */
  readonly header: string;
  /** The name of a segment, counted from 0. With byte ranges, all segments are in one file. */
  readonly segment: (index: number) => string;
}

function extensionOf(container: Packaging['container']): string {
  return container === 'fmp4' ? 'm4s' : container;
}

function numbered(stem: string, index: number, extension: string): string {
  return `${stem}-${String(index + 1).padStart(numberDigits, '0')}.${extension}`;
}

/** The name of a segment of captions, counted from 0. */
export function captionSegmentName(stem: string, index: number): string {
  return numbered(stem, index, 'vtt');
}

/** A track with segments of its own, as their names contain it. */
export type TrackName = 'video' | 'audio' | `audio-${number}`;

/** The name of a track. Tracks of audio are counted from 0. */
export function trackNameOf(kind: 'video' | 'audio', audioIndex: number): TrackName {
  return kind === 'video' || audioIndex === 0 ? kind : `audio-${audioIndex + 1}`;
}

/** The names of the segments of a rendition, or of one of its tracks. */
export function segmentNames(packaging: Packaging, track: TrackName | null): SegmentNames {
  const { container, hasByteRanges, dashProfile } = packaging;
  const stem = track === null ? packaging.stem : `${packaging.stem}-${track}`;
  if (hasByteRanges) {
    const name = `${stem}.${container === 'fmp4' && dashProfile !== null ? 'mp4' : extensionOf(container)}`;
    return { stem, header: name, segment: () => name };
  }
  const extension = extensionOf(container);
  return {
    stem,
    header: `${stem}-init.mp4`,
    segment: (index) => numbered(stem, index, extension),
  };
}

/** The tracks whose segments a rendition has: one that stands for all if they are together. */
export function segmentedTracks(
  { hasSeparateTracks }: Packaging,
  { hasVideo, audioTracks }: { readonly hasVideo: boolean; readonly audioTracks: number },
): readonly (TrackName | null)[] {
  if (!hasSeparateTracks) return [null];
  const audio = Array.from({ length: audioTracks }, (_, index) => trackNameOf('audio', index));
  return [...(hasVideo ? (['video'] as const) : []), ...audio];
}

/**
 * The names of files that an output has next to its playlist: the first segment, the playlist of keyframes and the
 * first key.
 */
export function partNames(
  settings: OutputSettings,
  filename: string,
  streams: { readonly hasVideo: boolean; readonly hasAudio: boolean },
): readonly string[] {
  if (!isSegmented(settings)) return [];
  const packaging = decidePackaging(settings, { filename, extension: '' }, streams.hasVideo);
  if (packaging === null) return [];
  const { keyframePlaylist, encryption, stem, hasHls, dashProfile } = packaging;
  const isKeyDelivered = encryption !== null && encryption.keyUrl === null;
  const { hasVideo, hasAudio } = streams;
  // How many tracks of audio there are is not known before the input is.
  const tracks = segmentedTracks(packaging, { hasVideo, audioTracks: hasAudio ? 1 : 0 });
  const names = tracks.map((track) => segmentNames(packaging, track));
  return [
    ...names.map(({ segment }) => segment(0)),
    ...(hasHls && tracks.length > 1 ? names.map((one) => `${one.stem}.m3u8`) : []),
    ...(hasHls && dashProfile !== null ? [`${stem}.mpd`] : []),
    ...(keyframePlaylist === null ? [] : [keyframePlaylist]),
    ...(isKeyDelivered ? [encryption.periodSegments === null ? `${stem}.key` : `${stem}-1.key`] : []),
  ];
}
