import type { SettingsTable } from './setting.js';

const segments = 'Segmented outputs';
const encryption = 'Encryption';
const captions = 'Captions';

/** Settings of segmented outputs, playlists, their encryption, and captions. */
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
  segmented: { kind: 'unchecked', section: captions, help: 'cut WebVTT captions into segments' },
} as const satisfies SettingsTable;
