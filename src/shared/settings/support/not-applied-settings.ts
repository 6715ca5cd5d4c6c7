import type { SettingsTable } from '../index.js';
import type { notAppliedJobTable, notAppliedOutputTable } from '../not-applied.js';
import type { streamingTable } from '../streaming.js';
import type { SettingSupport } from './setting-support.js';

/*
 * Settings of the hosted service that this daemon rejects by name, or accepts without effect, each with the reason. A setting without an
 * entry does not compile.
 */

type Decisions<T extends SettingsTable> = Record<keyof T, SettingSupport>;

const noLive = { unsupported: 'is not supported: this service has no live streaming' } as const;
const liveOnly = { noEffect: 'it belongs to live streaming', warns: true } as const;
const noLadder = { unsupported: 'is not supported: define the settings of each rendition' } as const;
const noDecryption = {
  unsupported: 'cannot be used: where an encrypted input stores its initialization vector is not documented',
} as const;

const decryption = {
  decryption_method: noDecryption,
  decryption_key: noDecryption,
  decryption_key_url: noDecryption,
  decryption_password: noDecryption,
} as const;

/** The fields of a job that are not applied. */
export const notAppliedJobFields = {
  live_stream: noLive,
  event_length: liveOnly,
  reconnect_time: liveOnly,
  live_sliding_window_duration: liveOnly,
  redundant_transcode: liveOnly,
  generate_dynamic_profile: noLadder,
  dynamic_profile_options: noLadder,
  ...decryption,
} as const satisfies Decisions<typeof notAppliedJobTable>;

const noBroadcast = {
  unsupported: 'is not supported: conformance to broadcast standards cannot be verified',
} as const;
const noHdr = { unsupported: 'is not supported: HDR inputs are converted to standard range' } as const;
const noDolbyVision = { unsupported: 'cannot be used: Dolby Vision is not supported' } as const;
const noDrm = {
  unsupported: 'is not supported: there is no digital rights management',
} as const;
const noForensics = { unsupported: 'is not supported: it needs a licensed watermarking engine' } as const;
const noChannelMap = { unsupported: 'is not supported: use audio_channels' } as const;
const noServiceTypes = { unsupported: 'is not supported: the default track is encoded' } as const;
const noArchive = { unsupported: 'is not supported: files are delivered one by one' } as const;
const noFrameIndex = {
  unsupported: 'is not supported: ffprobe -show_packets lists the frames of a file',
} as const;
const vp6Only = { noEffect: 'it is an option of the codec vp6', warns: true } as const;
const broadcastOnly = { noEffect: 'it is an option of format_preset', warns: true } as const;
const transcriptionOnly = { noEffect: 'there is no speech recognition', warns: true } as const;
const forensicsOnly = { noEffect: 'it belongs to forensic_watermark', warns: true } as const;

const segmentsOnly = { noEffect: 'it is for players of 2010', warns: true } as const;

const streaming = {
  segment_size: { noEffect: 'segments have no fixed size', warns: true },
  segment_image_url: segmentsOnly,
  segment_video_snapshots: segmentsOnly,
  hls_optimized_ts: { noEffect: 'segments always begin with their tables' },
  encryption_password: {
    unsupported: 'cannot be used: how a password becomes an initialization vector is not documented',
  },
} as const satisfies Decisions<typeof streamingTable>;

/** The settings of an output that are not applied. */
export const notAppliedOutputSettings = {
  ...streaming,
  generate_md5_checksum: { noEffect: 'the MD5 is always computed and shown' },
  package_format: noArchive,
  package_filename: noArchive,
  generate_frame_index: noFrameIndex,
  frame_index_filename: { noEffect: 'it belongs to generate_frame_index', warns: true },
  generate_mp4_atom_map: forensicsOnly,
  mp4_atom_map_filename: forensicsOnly,
  mtu_size: { noEffect: 'packets of hint tracks have 1450 bytes', warns: true, unless: [1450] },
  azure_sas: { noEffect: 'Azure storage is not supported', warns: true },
  cue_points: { unsupported: 'cannot be written: FLV cue points are not supported' },
  live_stream: noLive,
  instant_play: noLive,
  rtmp_keep_alive: liveOnly,
  dynamic_profile_rendition: noLadder,
  cae_options: noLadder,
  cae_rendition: noLadder,
  lossless_video: { unsupported: 'is only for JPEG 2000, which is not supported' },
  video_codec_preset: noBroadcast,
  format_preset: noBroadcast,
  alpha_transparency: { unsupported: 'is only for VP6, which is not supported' },
  hdr_format: noHdr,
  preserve_hdr_metadata: noHdr,
  master_display: noHdr,
  max_content_light_level: noHdr,
  max_frame_average_light_level: noHdr,
  dolby_vision_rpu_url: noDolbyVision,
  drm: noDrm,
  drm_method: noDrm,
  forensic_watermark: noForensics,
  forensic_watermark_stub_mode: noForensics,
  input_audio_service_types: noServiceTypes,
  select_audio_service_type: noServiceTypes,
  input_audio_channels: noChannelMap,
  output_audio_channels: { ...noChannelMap, unless: [1, 2] },
  max_aac_profile: { noEffect: 'AAC is always AAC-LC, which every limit allows' },
  caption_from_audio_transcription: {
    unsupported: 'is not supported: there is no speech recognition; give caption_url',
  },
  include_transcription_json: transcriptionOnly,
  transcription_filename: transcriptionOnly,
  transcription_vocabulary_name: transcriptionOnly,
  transcription_vocabulary_filter: transcriptionOnly,
  vp6_temporal_down_watermark: vp6Only,
  vp6_temporal_resampling: vp6Only,
  vp6_undershoot_pct: vp6Only,
  vp6_profile: vp6Only,
  vp6_compression_mode: vp6Only,
  vp6_2pass_min_section: vp6Only,
  vp6_2pass_max_section: vp6Only,
  vp6_stream_prebuffer: vp6Only,
  vp6_stream_max_buffer: vp6Only,
  vp6_deinterlace_mode: vp6Only,
  vp6_denoise_level: vp6Only,
  ts_muxrate: broadcastOnly,
  ts_pmt_pid: broadcastOnly,
  ts_video_pid: broadcastOnly,
  ts_audio_pid: broadcastOnly,
  ts_pcr_pid: broadcastOnly,
  ts_cbr: broadcastOnly,
  ...decryption,
} as const satisfies Decisions<typeof notAppliedOutputTable & typeof streamingTable>;
