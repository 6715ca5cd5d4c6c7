import { memoizeByKey } from '../util/collections.js';
import { defaultHeights, ladderOutputs } from './ladder-outputs.js';
import type { RequestFields } from './setting.js';

/** A preset that comes with venc. */
export interface ShippedPreset {
  /** What it is for: a noun phrase without a full stop. */
  readonly summary: string;
  /** A request without an input. */
  readonly settings: RequestFields;
}

/** The presets that come with venc except `hls`, whose outputs are those of `--hls`. */
const singleOutputs: Readonly<Record<string, { readonly summary: string; readonly output: RequestFields }>> =
  {
    web: {
      summary: 'MP4 of up to 1080p that every browser plays',
      output: {
        ...{ format: 'mp4', video_codec: 'h264', h264_profile: 'high', width: 1920, height: 1080 },
        ...{ quality: 3, max_frame_rate: 60, keyframe_rate: 0.5 },
        ...{ audio_codec: 'aac', audio_bitrate: 160, audio_channels: 2 },
      },
    },
    phone: {
      summary: 'MP4 of up to 720p for phones, old ones included, and slow connections',
      output: {
        ...{ format: 'mp4', video_codec: 'h264', h264_profile: 'main', width: 1280, height: 720 },
        ...{ quality: 3, bitrate_cap: 3000, max_frame_rate: 30 },
        ...{ audio_codec: 'aac', audio_bitrate: 128, audio_channels: 2 },
      },
    },
    archive: {
      summary: 'Matroska with HEVC of 10 bits in high quality, all tracks and the HDR of the input',
      output: {
        ...{ format: 'mkv', video_codec: 'hevc', video_codec_profile: 'main10', video_bit_depth: 10 },
        ...{ crf: 18, speed: 2, hdr: 'keep' },
        ...{ copy_audio: true, audio_tracks: 'all', subtitle_tracks: 'all' },
      },
    },
    audio: {
      summary: 'M4A with the audio alone',
      output: { format: 'm4a', skip_video: true, audio_codec: 'aac', audio_bitrate: 192 },
    },
    small: {
      summary: 'MP4 of at most 10 MB, for mail and messengers; --target-size sets another size',
      output: {
        ...{ format: 'mp4', video_codec: 'h264', width: 1280, height: 720, max_frame_rate: 30 },
        ...{ target_size: '10MB', audio_codec: 'aac', audio_bitrate: 96, audio_channels: 2 },
      },
    },
  };

const hlsSummary = 'a ladder of renditions for players, with playlists of HLS and DASH: the outputs of --hls';

/** A preset that comes with venc; null if there is none with this name. */
export function shippedPreset(name: string): ShippedPreset | null {
  if (name === 'hls') return { summary: hlsSummary, settings: { outputs: hlsOutputs(defaultHeights) } };
  const found = Object.hasOwn(singleOutputs, name) ? singleOutputs[name] : undefined;
  return found === undefined ? null : { summary: found.summary, settings: { output: found.output } };
}

const hlsOutputs = memoizeByKey((heights: readonly number[]) =>
  ladderOutputs({}, { kind: 'cmaf', heights, baseUrl: null }),
);
