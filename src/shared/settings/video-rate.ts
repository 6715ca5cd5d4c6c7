import { bitrateKbps } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Video bitrate';

/** How many bits the picture gets. */
export const videoRateTable = {
  quality: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section,
    help: 'quality of the picture; higher takes more bits',
  },
  video_bitrate: {
    kind: 'integer',
    ...bitrateKbps,
    section,
    help: 'bitrate of the picture: a predictable size instead of a predictable quality; wins over quality',
  },
  bitrate_cap: {
    kind: 'integer',
    ...bitrateKbps,
    spellings: ['decoder_bitrate_cap'],
    section,
    help: 'greatest bitrate at any moment',
  },
  buffer_size: {
    kind: 'integer',
    ...bitrateKbps,
    unit: 'kbit',
    spellings: ['decoder_buffer_size'],
    section,
    help: 'size of the buffer that bitrate_cap is kept over',
    defaultText: 'one and a half seconds of bitrate_cap',
  },
  onepass: {
    kind: 'boolean',
    default: false,
    spellings: ['one_pass'],
    section,
    help: 'encode in one pass where video_bitrate, or a quality of vp9, takes two: faster and less exact',
  },
} as const satisfies SettingsTable;
