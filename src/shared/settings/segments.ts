import type { RequestWarning, SettingsTable } from './setting.js';

const section = 'Segmented outputs';
const versions = { kind: 'integer', min: 1, max: 13, section } as const;

/** Settings of segmented outputs (`type: segmented`): HTTP Live Streaming, RFC 8216. */
export const segmentsTable = {
  segment_seconds: {
    kind: 'number',
    min: 1,
    max: 3600,
    unit: 'seconds',
    section,
    help: 'longest segment',
    defaultText: '10, 2 with dash, 6 with cmaf',
  },
  byte_range_segmenting: {
    kind: 'boolean',
    default: false,
    section,
    help: 'write one file, of which the segments are byte ranges',
  },
  generate_keyframe_manifest: {
    kind: 'boolean',
    section,
    help: 'write a playlist of the keyframes as well',
    defaultText: 'true if a protocol version from 4 on is given',
  },
  keyframe_manifest_filename: {
    kind: 'text',
    maxLength: 255,
    form: {
      pattern: '[^/]+\\.m3u8',
      rule: 'must be a file name that ends in .m3u8',
      example: 'keyframes.m3u8',
    },
    section,
    help: 'name of the playlist of the keyframes, next to that of the segments',
    defaultText: 'the name of the playlist with -iframe-index',
  },
  max_hls_protocol_version: {
    ...versions,
    help: 'highest protocol version that the playlist may need',
    defaultText: 'no limit',
  },
  hls_protocol_version: {
    ...versions,
    help: 'protocol version that the playlist declares',
    defaultText: 'the lowest that it needs',
  },
  streaming_delivery_format: {
    kind: 'choice',
    choices: ['hls', 'dash'],
    default: 'hls',
    section,
    help: 'HTTP Live Streaming or DASH, with segments of fragmented MP4',
  },
  streaming_delivery_profile: {
    kind: 'choice',
    choices: ['live', 'hbbtv_1.5', 'on_demand'],
    default: 'live',
    section,
    help: 'profile of DASH; on_demand writes one file for each track, with an index',
  },
  packaging: {
    kind: 'choice',
    choices: ['cmaf'],
    section,
    help: 'one set of segments for both HLS and DASH: fragmented MP4 with separate tracks',
  },
} as const satisfies SettingsTable;

/** The settings that the rules compare. */
interface SegmentSettings {
  readonly type?: string;
  readonly format?: string;
  readonly streaming_delivery_format?: 'hls' | 'dash';
  readonly streaming_delivery_profile?: 'live' | 'hbbtv_1.5' | 'on_demand';
  readonly packaging?: 'cmaf';
  readonly segment_seconds?: number;
  readonly byte_range_segmenting?: boolean;
  readonly generate_keyframe_manifest?: boolean;
  readonly keyframe_manifest_filename?: string;
  readonly max_hls_protocol_version?: number;
  readonly hls_protocol_version?: number;
  readonly skip_video?: boolean;
}

/** Whether an output is cut into segments, with a playlist. */
export function isSegmented({ type }: { readonly type?: string }): boolean {
  return type === 'segmented';
}

/** Whether a segmented output has a DASH manifest, and no playlist of HTTP Live Streaming. */
export function isDash({
  streaming_delivery_format: format,
  packaging,
}: {
  readonly streaming_delivery_format?: unknown;
  readonly packaging?: unknown;
}): boolean {
  return format === 'dash' && packaging === undefined;
}

/**
 * The container of the segments of an output: `format`, or else that which it needs. A playlist as the format means
 * transport streams.
 */
export function segmentFormat(settings: SegmentSettings): string {
  const format = settings.format === 'm3u8' ? 'ts' : settings.format;
  return format ?? (isDash(settings) || settings.packaging !== undefined ? 'm4f' : 'ts');
}

/** Shorter segments in files of their own would be too many. */
const minFileSeconds = 2;
/** The protocol version that byte ranges and playlists of keyframes need. */
const rangesVersion = 4;
/** The protocol version that segments with a header in a file of its own need. */
const headerVersion = 6;

/** Whether a playlist of the keyframes is written, unless the output has no video. */
export function wantsKeyframePlaylist({
  generate_keyframe_manifest: isWanted,
  hls_protocol_version: version,
  max_hls_protocol_version: maxVersion,
}: SegmentSettings): boolean {
  return isWanted ?? (version ?? maxVersion ?? 0) >= rangesVersion;
}

/** Validation errors of the settings of a segmented output. */
export function validateSegments(settings: SegmentSettings, path: string): readonly string[] {
  if (!isSegmented(settings)) return [];
  const { segment_seconds: seconds, hls_protocol_version: version, max_hls_protocol_version: max } = settings;
  const feature = (['byte_range_segmenting', 'generate_keyframe_manifest'] as const).find(
    (name) => settings[name] === true,
  );
  const isTooLow = (given: number | undefined) => given !== undefined && given < rangesVersion;
  const needsFragments =
    settings.packaging !== undefined ? 'packaging cmaf' : isDash(settings) ? 'dash' : null;
  const fragmentsVersion = segmentFormat(settings) === 'm4f' ? headerVersion : 0;
  return [
    ...(['hls_protocol_version', 'max_hls_protocol_version'] as const).flatMap((name) =>
      (settings[name] ?? fragmentsVersion) < fragmentsVersion
        ? [`${path}.${name} must be at least ${headerVersion} for m4f`]
        : [],
    ),
    ...(needsFragments !== null && segmentFormat(settings) !== 'm4f'
      ? [`${path}.format must be m4f for ${needsFragments}`]
      : []),
    ...(settings.packaging !== undefined && settings.streaming_delivery_format === 'dash'
      ? [`${path}.streaming_delivery_format must be omitted with packaging cmaf, which has both`]
      : []),
    ...(seconds !== undefined && seconds < minFileSeconds && settings.byte_range_segmenting !== true
      ? [`${path}.segment_seconds must be at least ${minFileSeconds} without byte_range_segmenting`]
      : []),
    ...(['hls_protocol_version', 'max_hls_protocol_version'] as const).flatMap((name) =>
      feature !== undefined && isTooLow(settings[name])
        ? [`${path}.${name} must be at least ${rangesVersion} for ${feature}`]
        : [],
    ),
    ...(version !== undefined && max !== undefined && version > max
      ? [`${path}.hls_protocol_version must not be above max_hls_protocol_version`]
      : []),
  ];
}

/** Warnings about settings of segments that have no effect. */
export function ineffectiveSegmentSettings(
  settings: SegmentSettings,
  path: string,
): readonly RequestWarning[] {
  // Playlists and captions have a warning about everything that they do not use.
  if (settings.type === 'playlist' || settings.type === 'captions') return [];
  const names = Object.keys(segmentsTable) as readonly (keyof typeof segmentsTable)[];
  if (!isSegmented(settings)) {
    const message = 'has no effect: only an output of type segmented has segments';
    return names.flatMap((name) =>
      settings[name] === undefined ? [] : [{ field: `${path}.${name}`, message }],
    );
  }
  const isNamed = settings.keyframe_manifest_filename !== undefined;
  const ofHls = isDash(settings)
    ? ([
        ...['hls_protocol_version', 'max_hls_protocol_version'],
        ...['generate_keyframe_manifest', 'keyframe_manifest_filename'],
      ] as const)
    : [];
  const withoutHls = ofHls.filter((name) => settings[name] !== undefined && settings[name] !== false);
  const withoutDash = settings.streaming_delivery_profile !== undefined && !isDash(settings);
  return [
    ...(withoutDash
      ? [
          {
            field: `${path}.streaming_delivery_profile`,
            message: 'has no effect without streaming_delivery_format dash',
          },
        ]
      : []),
    ...withoutHls.map((name) => ({ field: `${path}.${name}`, message: 'has no effect for dash' })),
    ...(isNamed && !wantsKeyframePlaylist(settings) && !isDash(settings)
      ? [
          {
            field: `${path}.keyframe_manifest_filename`,
            message: 'has no effect without generate_keyframe_manifest',
          },
        ]
      : []),
    ...(settings.generate_keyframe_manifest === true && settings.skip_video === true
      ? [{ field: `${path}.generate_keyframe_manifest`, message: 'has no effect: the output has no video' }]
      : []),
  ];
}
