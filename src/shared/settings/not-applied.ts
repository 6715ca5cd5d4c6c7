import type { SettingsTable } from './setting.js';

/*
 * Settings of the hosted service that venc knows but does not apply. What happens to each of them, and why, is in
 * daemon/plan/supported-settings.ts.
 */

/** Settings of the decryption of an encrypted input, of the job and of an output. */
const decryptionTable = {
  decryption_method: { kind: 'unchecked', section: 'Encryption', help: 'the encryption of the input' },
  decryption_key: { kind: 'unchecked', isSecret: true, section: 'Encryption', help: 'the key of the input' },
  decryption_key_url: {
    kind: 'unchecked',
    isSecret: true,
    section: 'Encryption',
    help: 'the URL of that key',
  },
  decryption_password: {
    kind: 'unchecked',
    isSecret: true,
    section: 'Encryption',
    help: 'the password of the input',
  },
} as const satisfies SettingsTable;

const live = 'Live streaming';
const ladders = 'Content-aware ladders';

/** Settings of the job that are not applied. */
export const notAppliedJobTable = {
  live_stream: { kind: 'unchecked', section: live, help: 'receive a live stream instead of a file' },
  event_length: { kind: 'unchecked', type: 'number', section: live, help: 'the length of the stream' },
  reconnect_time: {
    kind: 'unchecked',
    type: 'number',
    section: live,
    help: 'how long to wait for the stream',
  },
  live_sliding_window_duration: {
    kind: 'unchecked',
    type: 'number',
    section: live,
    help: 'the length of the sliding window of a playlist',
  },
  redundant_transcode: { kind: 'unchecked', type: 'boolean', section: live, help: 'encode the stream twice' },
  generate_dynamic_profile: {
    kind: 'unchecked',
    section: ladders,
    help: 'choose the renditions from the content',
  },
  dynamic_profile_options: {
    kind: 'unchecked',
    fieldNames: [
      ...['min_renditions', 'max_renditions', 'min_resolution', 'max_resolution', 'max_frame_rate'],
      ...['keyframe_rate', 'fixed_frame_rate', 'max_bitrate', 'min_bitrate', 'max_first_rendition_bitrate'],
      ...['min_granularity', 'max_granularity', 'video_codec', 'video_codecs', 'video_codec_options'],
      ...['bitrate_cap_to_bitrate_ratio', 'buffer_size_to_bitrate_ratio', 'bitrate_cap_offset'],
      ...['buffer_size_offset', 'quality_rate_tune', 'select_baseline_profile_configuration'],
      ...['select_distinct_configurations', 'video_configurations', 'watermarks', 'hdr_format'],
    ],
    section: ladders,
    help: 'the limits of these renditions',
  },
  ...decryptionTable,
} as const satisfies SettingsTable;

const broadcast = 'Broadcast formats';
const drm = 'Digital rights management';
const hdr = 'HDR metadata';
const vp6 = 'VP6';
const ts = 'MPEG transport streams';
const transcription = 'Transcription';

/** An option of a codec that cannot be encoded: clients send it with its default. */
const vp6Option = { kind: 'unchecked', section: vp6, help: 'an option of the codec vp6' } as const;
/** An option of a transport stream for broadcast. */
const tsOption = {
  kind: 'unchecked',
  section: ts,
  help: 'an option of a transport stream for broadcast',
} as const;

/** Settings of an output that are not applied. */
export const notAppliedOutputTable = {
  generate_md5_checksum: {
    kind: 'unchecked',
    type: 'boolean',
    section: 'Files',
    help: 'compute the MD5 of the file',
  },
  package_format: {
    kind: 'unchecked',
    section: 'Files',
    help: 'deliver all files as one archive: zip or tar',
  },
  package_filename: { kind: 'unchecked', section: 'Files', help: 'the name of that archive' },
  generate_frame_index: {
    kind: 'unchecked',
    section: 'Files',
    help: 'write a file with a line for each frame',
  },
  frame_index_filename: {
    kind: 'unchecked',
    type: 'string',
    section: 'Files',
    help: 'the name of that file',
  },
  generate_mp4_atom_map: {
    kind: 'unchecked',
    section: 'Files',
    help: 'write a file with the structure of the MP4',
  },
  mp4_atom_map_filename: {
    kind: 'unchecked',
    type: 'string',
    section: 'Files',
    help: 'the name of that file',
  },
  mtu_size: {
    kind: 'unchecked',
    type: 'number',
    section: 'Files',
    help: 'the packet size of the hint tracks',
  },
  azure_sas: { kind: 'unchecked', isSecret: true, section: 'Files', help: 'a signature for Azure storage' },
  cue_points: {
    kind: 'unchecked',
    fieldNames: ['type', 'name', 'time', 'data'],
    section: 'Files',
    help: 'cue points of an FLV file',
  },
  live_stream: { kind: 'unchecked', section: live, help: 'send a live stream' },
  instant_play: { kind: 'unchecked', section: live, help: 'make the file playable while it is encoded' },
  rtmp_keep_alive: { kind: 'unchecked', section: live, help: 'keep the RTMP connection open' },
  dynamic_profile_rendition: { kind: 'unchecked', section: ladders, help: 'the number of a rendition' },
  cae_options: { kind: 'unchecked', section: ladders, help: 'the limits of the renditions' },
  cae_rendition: { kind: 'unchecked', section: ladders, help: 'the number of a rendition' },
  lossless_video: { kind: 'unchecked', section: broadcast, help: 'encode JPEG 2000 without loss' },
  video_codec_preset: {
    kind: 'unchecked',
    section: broadcast,
    help: 'settings of a camera format: AVC-Intra',
  },
  format_preset: { kind: 'unchecked', section: broadcast, help: 'a format for broadcast' },
  alpha_transparency: { kind: 'unchecked', section: vp6, help: 'keep the transparency of the input in VP6' },
  hdr_format: { kind: 'unchecked', section: hdr, help: 'the HDR format of the output' },
  preserve_hdr_metadata: { kind: 'unchecked', section: hdr, help: 'keep the HDR metadata of the input' },
  master_display: {
    kind: 'unchecked',
    fieldNames: ['red', 'green', 'blue', 'white_point', 'luminance'],
    section: hdr,
    help: 'the display that the video was mastered on',
  },
  max_content_light_level: { kind: 'unchecked', section: hdr, help: 'the brightest pixel' },
  max_frame_average_light_level: { kind: 'unchecked', section: hdr, help: 'the brightest frame' },
  dolby_vision_rpu_url: { kind: 'unchecked', section: hdr, help: 'the URL of Dolby Vision metadata' },
  drm: {
    kind: 'unchecked',
    isSecret: true,
    fieldNames: [
      ...['method', 'provider', 'key_id', 'key_guid', 'user_key', 'server_key', 'media_id', 'content_id'],
      ...['content_key', 'schemas'],
    ],
    section: drm,
    help: 'digital rights management',
  },
  drm_method: { kind: 'unchecked', section: drm, help: 'the method of digital rights management' },
  forensic_watermark: { kind: 'unchecked', section: drm, help: 'an invisible watermark' },
  forensic_watermark_stub_mode: { kind: 'unchecked', section: drm, help: 'the mode of that watermark' },
  input_audio_service_types: {
    kind: 'unchecked',
    section: 'Audio tracks',
    help: 'the purpose of each audio track',
  },
  select_audio_service_type: {
    kind: 'unchecked',
    section: 'Audio tracks',
    help: 'the audio track to encode, by purpose',
  },
  input_audio_channels: {
    kind: 'unchecked',
    section: 'Audio tracks',
    help: 'the tracks that the channels come from',
  },
  output_audio_channels: { kind: 'unchecked', section: 'Audio tracks', help: 'the channels of the output' },
  max_aac_profile: {
    kind: 'unchecked',
    type: 'string',
    section: 'Audio tracks',
    help: 'the highest AAC profile that may be used',
  },
  caption_from_audio_transcription: {
    kind: 'unchecked',
    section: transcription,
    help: 'write captions by speech recognition',
  },
  include_transcription_json: {
    kind: 'unchecked',
    section: transcription,
    help: 'deliver the recognised words as JSON',
  },
  transcription_filename: { kind: 'unchecked', section: transcription, help: 'the name of that file' },
  transcription_vocabulary_name: {
    kind: 'unchecked',
    section: transcription,
    help: 'a vocabulary of the recognition',
  },
  transcription_vocabulary_filter: {
    kind: 'unchecked',
    section: transcription,
    help: 'words that are left out',
  },
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
