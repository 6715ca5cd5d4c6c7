import type { SettingsTable } from './setting.js';

/* Settings of the hosted service that venc knows but does not apply, each with the reason. */

const segments = 'Segmented outputs';
const encryption = 'Encryption';
const files = 'Files';
const tracks = 'Audio tracks';
const live = 'Live streaming';
const ladders = 'Content-aware ladders';
const broadcast = 'Broadcast formats';
const drm = 'Digital rights management';
const hdr = 'HDR';
const vp6 = 'VP6';
const ts = 'MPEG transport streams';
const transcription = 'Transcription';

const noLive = {
  kind: 'unchecked',
  section: live,
  rejected: 'is not supported: this service has no live streaming',
} as const;
const liveOnly = {
  kind: 'unchecked',
  section: live,
  noEffect: 'it belongs to live streaming',
  warns: true,
} as const;
const noLadder = {
  kind: 'unchecked',
  section: ladders,
  rejected: 'is not supported: define the settings of each rendition',
} as const;
const noDecryption = {
  kind: 'unchecked',
  section: encryption,
  rejected: 'cannot be used: where an encrypted input stores its initialization vector is not documented',
} as const;
const noBroadcast = {
  kind: 'unchecked',
  section: broadcast,
  rejected: 'is not supported: conformance to broadcast standards cannot be verified',
} as const;
const noDrm = {
  kind: 'unchecked',
  section: drm,
  rejected: 'is not supported: there is no digital rights management',
} as const;
const noForensics = {
  kind: 'unchecked',
  section: drm,
  rejected: 'is not supported: it needs a licensed watermarking engine',
} as const;
const noArchive = {
  kind: 'unchecked',
  section: files,
  rejected: 'is not supported: files are delivered one by one',
} as const;
const segmentsOnly = {
  kind: 'unchecked',
  section: segments,
  noEffect: 'it is for players of 2010',
  warns: true,
} as const;
const transcriptionOnly = {
  kind: 'unchecked',
  section: transcription,
  noEffect: 'there is no speech recognition',
  warns: true,
} as const;
const forensicsOnly = {
  kind: 'unchecked',
  section: files,
  noEffect: 'it belongs to forensic_watermark',
  warns: true,
} as const;

/** Settings of the decryption of an encrypted input, of the job and of an output. */
const decryptionTable = {
  decryption_method: { ...noDecryption, help: 'the encryption of the input' },
  decryption_key: { ...noDecryption, isSecret: true, help: 'the key of the input' },
  decryption_key_url: { ...noDecryption, isSecret: true, help: 'the URL of that key' },
  decryption_password: { ...noDecryption, isSecret: true, help: 'the password of the input' },
} as const satisfies SettingsTable;

/** Settings of the job that are not applied. */
export const notAppliedJobTable = {
  live_stream: { ...noLive, help: 'receive a live stream instead of a file' },
  event_length: { ...liveOnly, type: 'number', help: 'the length of the stream' },
  reconnect_time: { ...liveOnly, type: 'number', help: 'how long to wait for the stream' },
  live_sliding_window_duration: {
    ...liveOnly,
    type: 'number',
    help: 'the length of the sliding window of a playlist',
  },
  redundant_transcode: { ...liveOnly, type: 'boolean', help: 'encode the stream twice' },
  ...decryptionTable,
} as const satisfies SettingsTable;

/** An option of a codec that cannot be encoded: clients send it with its default. */
const vp6Option = {
  noEffect: 'it is an option of the codec vp6',
  warns: true,
  kind: 'unchecked',
  section: vp6,
  help: 'an option of the codec vp6',
} as const;
/** An option of a transport stream for broadcast. */
const tsOption = {
  noEffect: 'it is an option of format_preset',
  warns: true,
  kind: 'unchecked',
  section: ts,
  help: 'an option of a transport stream for broadcast',
} as const;

/** Settings of an output that are not applied. */
export const notAppliedOutputTable = {
  segment_size: {
    noEffect: 'segments have no fixed size',
    warns: true,
    kind: 'unchecked',
    section: segments,
    help: 'the size of a segment in bytes',
  },
  segment_image_url: {
    ...segmentsOnly,
    spellings: ['segment_image_file'],
    help: 'an image for audio segments',
  },
  segment_video_snapshots: { ...segmentsOnly, help: 'images of the video in audio segments' },
  hls_optimized_ts: {
    noEffect: 'segments always begin with their tables',
    kind: 'unchecked',
    type: 'boolean',
    section: segments,
    help: 'begin each segment with its tables',
  },
  encryption_password: {
    rejected: 'cannot be used: how a password becomes an initialization vector is not documented',
    kind: 'unchecked',
    isSecret: true,
    section: encryption,
    help: 'a password instead of a key',
  },
  generate_md5_checksum: {
    noEffect: 'the MD5 is always computed and shown',
    kind: 'unchecked',
    type: 'boolean',
    section: files,
    help: 'compute the MD5 of the file',
  },
  package_format: { ...noArchive, help: 'deliver all files as one archive: zip or tar' },
  package_filename: { ...noArchive, help: 'the name of that archive' },
  generate_frame_index: {
    rejected: 'is not supported: ffprobe -show_packets lists the frames of a file',
    kind: 'unchecked',
    section: files,
    help: 'write a file with a line for each frame',
  },
  frame_index_filename: {
    noEffect: 'it belongs to generate_frame_index',
    warns: true,
    kind: 'unchecked',
    type: 'string',
    section: files,
    help: 'the name of that file',
  },
  generate_mp4_atom_map: { ...forensicsOnly, help: 'write a file with the structure of the MP4' },
  mp4_atom_map_filename: { ...forensicsOnly, type: 'string', help: 'the name of that file' },
  mtu_size: {
    noEffect: 'packets of hint tracks have 1450 bytes',
    warns: true,
    unless: [1450],
    kind: 'unchecked',
    type: 'number',
    section: files,
    help: 'the packet size of the hint tracks',
  },
  azure_sas: {
    noEffect: 'Azure storage is not supported',
    warns: true,
    kind: 'unchecked',
    isSecret: true,
    section: files,
    help: 'a signature for Azure storage',
  },
  cue_points: {
    rejected: 'cannot be written: FLV cue points are not supported',
    kind: 'unchecked',
    fieldNames: ['type', 'name', 'time', 'data'],
    section: files,
    help: 'cue points of an FLV file',
  },
  live_stream: { ...noLive, help: 'send a live stream' },
  instant_play: { ...noLive, help: 'make the file playable while it is encoded' },
  rtmp_keep_alive: { ...liveOnly, help: 'keep the RTMP connection open' },
  cae_options: { ...noLadder, help: 'the limits of the renditions' },
  cae_rendition: { ...noLadder, help: 'the number of a rendition' },
  lossless_video: {
    rejected: 'is only for JPEG 2000, which is not supported',
    kind: 'unchecked',
    section: broadcast,
    help: 'encode JPEG 2000 without loss',
  },
  video_codec_preset: { ...noBroadcast, help: 'settings of a camera format: AVC-Intra' },
  format_preset: { ...noBroadcast, help: 'a format for broadcast' },
  alpha_transparency: {
    rejected: 'is only for VP6, which is not supported',
    kind: 'unchecked',
    section: vp6,
    help: 'keep the transparency of the input in VP6',
  },
  dolby_vision_rpu_url: {
    rejected: 'cannot be used: Dolby Vision is not supported',
    kind: 'unchecked',
    section: hdr,
    help: 'the URL of Dolby Vision metadata',
  },
  drm: {
    ...noDrm,
    isSecret: true,
    fieldNames: [
      ...['method', 'provider', 'key_id', 'key_guid', 'user_key', 'server_key', 'media_id', 'content_id'],
      ...['content_key', 'schemas'],
    ],
    help: 'digital rights management',
  },
  drm_method: { ...noDrm, help: 'the method of digital rights management' },
  forensic_watermark: { ...noForensics, help: 'an invisible watermark' },
  forensic_watermark_stub_mode: { ...noForensics, help: 'the mode of that watermark' },
  max_aac_profile: {
    noEffect: 'AAC is always AAC-LC, which every limit allows',
    kind: 'unchecked',
    type: 'string',
    section: tracks,
    help: 'the highest AAC profile that may be used',
  },
  caption_from_audio_transcription: {
    rejected: 'is not supported: there is no speech recognition; give caption_url',
    kind: 'unchecked',
    section: transcription,
    help: 'write captions by speech recognition',
  },
  include_transcription_json: { ...transcriptionOnly, help: 'deliver the recognised words as JSON' },
  transcription_filename: { ...transcriptionOnly, help: 'the name of that file' },
  transcription_vocabulary_name: { ...transcriptionOnly, help: 'a vocabulary of the recognition' },
  transcription_vocabulary_filter: { ...transcriptionOnly, help: 'words that are left out' },
  vp6_temporal_down_watermark: vp6Option,
  vp6_temporal_resampling: vp6Option,
  vp6_undershoot_pct: vp6Option,
  vp6_profile: vp6Option,
  vp6_compression_mode: vp6Option,
  vp6_2pass_min_section: vp6Option,
  vp6_2pass_max_section: vp6Option,
  vp6_stream_prebuffer: vp6Option,
  vp6_stream_max_buffer: vp6Option,
  vp6_deinterlace_mode: vp6Option,
  vp6_denoise_level: vp6Option,
  ts_muxrate: tsOption,
  ts_pmt_pid: tsOption,
  ts_video_pid: tsOption,
  ts_audio_pid: tsOption,
  ts_pcr_pid: tsOption,
  ts_cbr: tsOption,
  ...decryptionTable,
} as const satisfies SettingsTable;
