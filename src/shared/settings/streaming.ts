import type { SettingsTable } from './setting.js';

const segments = 'Segmented outputs';
const encryption = 'Encryption';

/** Settings of segmented outputs and their encryption that are not applied. */
export const streamingTable = {
  segment_size: { kind: 'unchecked', section: segments, help: 'the size of a segment in bytes' },
  segment_image_url: {
    kind: 'unchecked',
    spellings: ['segment_image_file'],
    section: segments,
    help: 'an image for audio segments',
  },
  segment_video_snapshots: {
    kind: 'unchecked',
    section: segments,
    help: 'images of the video in audio segments',
  },
  hls_optimized_ts: {
    kind: 'unchecked',
    type: 'boolean',
    section: segments,
    help: 'begin each segment with its tables',
  },
  encryption_password: {
    kind: 'unchecked',
    isSecret: true,
    section: encryption,
    help: 'a password instead of a key',
  },
} as const satisfies SettingsTable;
