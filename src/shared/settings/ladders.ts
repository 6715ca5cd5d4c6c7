import type { SettingsTable } from './setting.js';

const section = 'Content-aware ladders';

/** The most renditions of a ladder that is chosen by content. */
export const maxRenditions = 10;

/** The score of the best rendition, if no output has a `quality_target`. */
export const defaultLadderTarget = 93;

/** The defaults of the options that decide the renditions. Bitrates are in Kbps. */
export const ladderDefaults = {
  min_renditions: 2,
  max_renditions: 6,
  min_bitrate: 150,
  bitrate_cap_to_bitrate_ratio: 2,
  buffer_size_to_bitrate_ratio: 3,
} as const;

const kbps = { kind: 'integer', min: 1, max: 1_000_000, unit: 'Kbps', section } as const;
const offset = { kind: 'integer', min: -1_000_000, max: 1_000_000, unit: 'Kbps', section } as const;
const ratio = { kind: 'number', min: 1, max: 100, section } as const;
const percent = { kind: 'number', min: 1, max: 10_000, unit: 'percent', section } as const;
const count = { kind: 'integer', min: 1, max: maxRenditions, section } as const;
const pixels = { kind: 'integer', min: 16, max: 8192, unit: 'pixels', section, isRequired: true } as const;
const resolutionFields = {
  width: { ...pixels, help: 'the width' },
  height: { ...pixels, help: 'the height' },
} as const satisfies SettingsTable;
const resolution = { kind: 'object', fields: resolutionFields, section } as const;
const inOutputs = {
  kind: 'unchecked',
  section,
  noEffect: 'give the outputs their settings instead',
  warns: true,
} as const;
const measured = { kind: 'unchecked', section, noEffect: 'the score decides', warns: true } as const;

/** The limits of the renditions that are chosen by the content of a film. */
const ladderOptionsTable = {
  min_renditions: {
    ...count,
    default: ladderDefaults.min_renditions,
    help: 'the least number of renditions, if the film has so many that differ',
  },
  max_renditions: {
    ...count,
    default: ladderDefaults.max_renditions,
    help: 'the greatest number of renditions',
  },
  min_resolution: { ...resolution, help: 'the least size of a rendition' },
  max_resolution: { ...resolution, help: 'the greatest size of a rendition' },
  min_bitrate: {
    ...kbps,
    default: ladderDefaults.min_bitrate,
    help: 'the least bitrate of a rendition, as predicted',
  },
  max_bitrate: { ...kbps, help: 'the greatest bitrate of a rendition, as predicted' },
  max_first_rendition_bitrate: { ...kbps, help: 'the greatest bitrate of the lowest rendition' },
  min_granularity: { ...percent, help: 'how much higher the bitrate of the next rendition is at least' },
  max_granularity: { ...percent, help: 'how much higher the bitrate of the next rendition is at most' },
  bitrate_cap_to_bitrate_ratio: {
    ...ratio,
    default: ladderDefaults.bitrate_cap_to_bitrate_ratio,
    help: 'bitrate_cap of a rendition, as a multiple of its predicted bitrate',
  },
  buffer_size_to_bitrate_ratio: {
    ...ratio,
    default: ladderDefaults.buffer_size_to_bitrate_ratio,
    help: 'buffer_size of a rendition, as a multiple of its predicted bitrate',
  },
  bitrate_cap_offset: { ...offset, help: 'added to bitrate_cap' },
  buffer_size_offset: { ...offset, help: 'added to buffer_size' },
  max_frame_rate: {
    kind: 'number',
    min: 1,
    max: 240,
    section,
    help: 'max_frame_rate of the renditions that do not set it',
  },
  keyframe_rate: {
    kind: 'number',
    min: 0.001,
    max: 100,
    section,
    help: 'keyframe_rate of the renditions that do not set it',
  },
  video_codec: {
    kind: 'choice',
    choices: ['h264', 'hevc', 'vp8', 'vp9', 'av1'],
    section,
    help: 'video_codec of the renditions that do not set it',
  },
  fixed_frame_rate: { ...inOutputs, help: 'a constant frame rate' },
  video_codecs: { ...inOutputs, help: 'several codecs' },
  video_codec_options: { ...inOutputs, help: 'options of the codec' },
  watermarks: { ...inOutputs, help: 'watermarks' },
  hdr_format: { ...inOutputs, help: 'a format of HDR' },
  quality_rate_tune: { ...measured, help: 'a weight of the quality against the bitrate' },
  select_baseline_profile_configuration: { ...measured, help: 'a rendition of the profile baseline' },
  select_distinct_configurations: { ...measured, help: 'renditions of different configurations' },
  video_configurations: { ...measured, help: 'the configurations to choose from' },
} as const satisfies SettingsTable;

/** Settings of the job for a ladder that is chosen by content. */
export const ladderJobTable = {
  generate_dynamic_profile: {
    kind: 'boolean',
    default: false,
    section,
    help: 'choose sizes and bitrates of the outputs with dynamic_profile_rendition by the content of the film',
  },
  dynamic_profile_options: {
    kind: 'object',
    fields: ladderOptionsTable,
    section,
    help: 'the limits of these renditions',
  },
} as const satisfies SettingsTable;

/** Settings of an output for such a ladder. */
export const ladderOutputTable = {
  dynamic_profile_rendition: {
    seenIn: 'delivery',
    kind: 'integer',
    min: 1,
    max: maxRenditions,
    section,
    help: 'the rendition of the ladder that the output has, from 1, the lowest; it is skipped if there are fewer',
  },
} as const satisfies SettingsTable;
