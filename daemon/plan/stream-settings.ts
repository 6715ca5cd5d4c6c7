import { audioEffectsTable } from '../../src/shared/settings/audio.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';

type Names = readonly (keyof OutputSettings)[];

/** The settings of the video that have no effect on an output without video, or with a copied one. */
export const videoSettings: Names = [
  ...(['width', 'height', 'size', 'upscale', 'aspect_mode', 'rotate', 'flip'] as const),
  ...(['quality', 'video_bitrate', 'target_size', 'bitrate_cap', 'buffer_size', 'onepass', 'speed'] as const),
  ...(['quality_target', 'quality_floor'] as const),
  ...(['crf', 'constant_bitrate', 'max_video_bitrate', 'tuning'] as const),
  ...(['max_frame_rate', 'min_frame_rate', 'frame_rate', 'decimate'] as const),
  ...(['deinterlace', 'deinterlace_mode', 'force_interlace_headers'] as const),
  ...(['keyframe_interval', 'keyframe_rate', 'fixed_keyframe_interval'] as const),
  ...(['forced_keyframe_interval', 'forced_keyframe_rate', 'prepare_for_segmenting'] as const),
  ...(['sample_aspect_ratio', 'color_metadata', 'watermark'] as const),
  ...(['denoise', 'sharpen', 'deblock', 'autolevel'] as const),
  ...(['video_codec_profile', 'h264_profile', 'video_codec_level', 'h264_level'] as const),
  ...(['video_reference_frames', 'h264_reference_frames', 'video_bframes', 'h264_bframes'] as const),
  ...(['hdr_format', 'master_display'] as const),
  ...(['max_content_light_level', 'max_frame_average_light_level'] as const),
];

/** The settings of the audio that have no effect on an output without audio, or with a copied one. */
export const audioSettings: Names = [
  ...(['audio_quality', 'audio_bitrate', 'audio_sample_rate', 'audio_channels'] as const),
  ...(['input_audio_channels', 'output_audio_channels'] as const),
  ...(['max_audio_sample_rate', 'audio_constant_bitrate', 'force_aac_profile'] as const),
  ...(Object.keys(audioEffectsTable) as (keyof typeof audioEffectsTable)[]),
];

/** Settings of which 0 asks for something. */
const zeroIsDemanded: Names = [
  ...([
    'rotate',
    'video_bframes',
    'h264_bframes',
    'video_reference_frames',
    'h264_reference_frames',
  ] as const),
];

/** Whether a value turns its setting off, so that a stream that is not encoded has what it asks for. */
export function turnsOff(name: keyof OutputSettings, value: unknown): boolean {
  if (value === 0) return !zeroIsDemanded.includes(name);
  return value === false || value === 'off' || value === 'none';
}

/**
 * The settings without those of streams that are copied: they have no effect. The codecs of the input are checked when
 * it is known.
 */
export function withoutCopiedSettings(settings: OutputSettings): OutputSettings {
  const lost = new Set<string>([
    ...(settings.copy_video === true
      ? [
          ...['video_codec', 'video_bit_depth', 'video_color_range', 'hdr', 'preserve_hdr_metadata'],
          ...videoSettings,
        ]
      : []),
    ...(settings.copy_audio === true ? ['audio_codec', 'audio_bit_depth', ...audioSettings] : []),
  ]);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !lost.has(name)));
}
