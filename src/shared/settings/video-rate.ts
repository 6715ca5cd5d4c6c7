import { bitrateKbps } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Video bitrate';

/** Quality and bitrate of the video. */
export const videoRateTable = {
  quality: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section,
    help: 'video quality; higher values need more bits',
  },
  video_bitrate: {
    kind: 'integer',
    ...bitrateKbps,
    section,
    help: 'video bitrate: a predictable size instead of a predictable quality; overrides quality',
  },
  bitrate_cap: {
    kind: 'integer',
    ...bitrateKbps,
    spellings: ['decoder_bitrate_cap'],
    section,
    help: 'maximum bitrate at any moment',
  },
  buffer_size: {
    kind: 'integer',
    ...bitrateKbps,
    unit: 'kbit',
    spellings: ['decoder_buffer_size'],
    section,
    help: 'size of the decoder buffer that bitrate_cap applies to',
    defaultText: 'one and a half seconds of bitrate_cap',
  },
  onepass: {
    kind: 'boolean',
    default: false,
    spellings: ['one_pass'],
    section,
    help: 'encode in one pass where video_bitrate, or the quality of vp9, needs two: faster but less exact',
  },
} as const satisfies SettingsTable;
