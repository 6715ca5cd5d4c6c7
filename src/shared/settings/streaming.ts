import type { SettingsTable } from './setting.js';

const segments = 'Segmented outputs';
const playlists = 'Playlists';
const encryption = 'Encryption';
const captions = 'Captions';

/** Settings of segmented outputs, playlists, their encryption, and captions. */
export const streamingTable = {
  segment_seconds: { kind: 'unchecked', section: segments, help: 'the length of a segment in seconds' },
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
  streaming_delivery_format: { kind: 'unchecked', section: segments, help: 'hls or dash' },
  streaming_delivery_profile: { kind: 'unchecked', section: segments, help: 'the DASH profile' },
  byte_range_segmenting: {
    kind: 'unchecked',
    section: segments,
    help: 'one file with byte ranges for segments',
  },
  generate_keyframe_manifest: {
    kind: 'unchecked',
    section: segments,
    help: 'write a playlist of the keyframes',
  },
  keyframe_manifest_filename: { kind: 'unchecked', section: segments, help: 'the name of that playlist' },
  max_hls_protocol_version: { kind: 'unchecked', section: segments, help: 'the highest version of HLS' },
  hls_protocol_version: { kind: 'unchecked', section: segments, help: 'the version of HLS' },
  hls_optimized_ts: {
    kind: 'unchecked',
    type: 'boolean',
    section: segments,
    help: 'begin each segment with its tables',
  },
  packaging: { kind: 'unchecked', section: segments, help: 'cmaf: one set of segments for HLS and DASH' },
  playlist_format: { kind: 'unchecked', section: playlists, help: 'the format of a playlist' },
  streams: {
    kind: 'unchecked',
    fieldNames: [
      ...[
        'path',
        'source',
        'bandwidth',
        'resolution',
        'codecs',
        'width',
        'height',
        'audio',
        'captions',
        'name',
      ],
    ],
    section: playlists,
    help: 'the renditions of a playlist',
  },
  alternate_audio: {
    kind: 'unchecked',
    fieldNames: ['path', 'source', 'language', 'name', 'default', 'autoselect'],
    section: playlists,
    help: 'groups of audio renditions',
  },
  captions: {
    kind: 'unchecked',
    fieldNames: ['path', 'source', 'language', 'name', 'default', 'forced'],
    section: playlists,
    help: 'caption renditions of a playlist',
  },
  allow_skipped_sources: { kind: 'unchecked', section: playlists, help: 'omit renditions that were skipped' },
  smil_base_url: { kind: 'unchecked', section: playlists, help: 'the base URL in a SMIL file' },
  encryption_method: { kind: 'unchecked', section: encryption, help: 'the encryption of segments' },
  encryption_key: {
    kind: 'unchecked',
    isSecret: true,
    section: encryption,
    help: 'the key of the encryption',
  },
  encryption_key_url: { kind: 'unchecked', isSecret: true, section: encryption, help: 'the URL of that key' },
  encryption_key_rotation_period: {
    kind: 'unchecked',
    section: encryption,
    help: 'the number of segments for a key',
  },
  encryption_key_url_prefix: {
    kind: 'unchecked',
    section: encryption,
    help: 'what precedes the name of a key file',
  },
  encryption_iv: {
    kind: 'unchecked',
    isSecret: true,
    section: encryption,
    help: 'the initialization vector',
  },
  encryption_password: {
    kind: 'unchecked',
    isSecret: true,
    section: encryption,
    help: 'a password instead of a key',
  },
  caption_url: {
    kind: 'unchecked',
    spellings: ['captions_url'],
    isSecret: true,
    fieldNames: ['url', 'language', 'label', 'default', 'forced', 'format', 'encoding'],
    section: captions,
    help: 'caption files that become tracks of the output',
  },
  skip_captions: { kind: 'unchecked', section: captions, help: 'omit the captions of the input' },
  subtitles: { kind: 'unchecked', section: captions, help: 'what happens to the subtitles of the input' },
  segmented: { kind: 'unchecked', section: captions, help: 'cut WebVTT captions into segments' },
  language: { kind: 'unchecked', section: captions, help: 'the language of the captions' },
} as const satisfies SettingsTable;
