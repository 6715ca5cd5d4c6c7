import { bitrateKbps } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = 'Video codec options';

const h264Profiles = ['baseline', 'main', 'high', 'high10', 'high422', 'high444'] as const;
const profiles = [
  ...h264Profiles,
  ...(['main10', 'main12', 'main422-10', 'main422-12', 'main444-8', 'main444-10', 'main444-12'] as const),
  ...(['0', '1', '2', '3', 'professional'] as const),
] as const;
const levels = [
  ...(['1', '1b', '1.1', '1.2', '1.3', '2', '2.1', '2.2', '3', '3.1', '3.2', '4', '4.1', '4.2'] as const),
  ...(['5', '5.1', '5.2', '6', '6.1', '6.2'] as const),
] as const;
/** `3.0` is the level 3. */
const levelAliases = { '1.0': '1', '2.0': '2', '3.0': '3', '4.0': '4', '5.0': '5', '6.0': '6' } as const;

const level = { kind: 'choice', example: '4.1', choices: levels, aliases: levelAliases, section } as const;
const frames = { kind: 'integer', min: 0, max: 16, section } as const;
const h264Only = 'the same, only if the codec is h264';

/** Options of the video encoder. Those that begin with `h264_` apply to H.264 only. */
export const codecOptionsTable = {
  video_codec_profile: {
    kind: 'choice',
    choices: profiles,
    section,
    spellings: ['videoe_codec_profile'],
    help: 'profile of the video codec',
    defaultText: 'high for h264, main for hevc and av1, 0 for vp9',
  },
  h264_profile: {
    kind: 'choice',
    choices: h264Profiles,
    section,
    help: h264Only.replace('the same', 'video_codec_profile'),
  },
  video_bit_depth: {
    kind: 'number-choice',
    choices: [8, 10, 12],
    default: 8,
    section,
    help: 'bits per sample of the video; the profile follows if it is not given',
  },
  video_color_range: {
    kind: 'choice',
    choices: ['limited', 'full'],
    default: 'limited',
    section,
    help: 'range of luma and chroma of h264 and hevc: 16 to 235, or 0 to 255',
  },
  video_codec_level: {
    ...level,
    help: 'level of the video codec; bitrates and reference frames are limited to it',
    defaultText: 'the lowest that fits',
  },
  h264_level: { ...level, help: h264Only.replace('the same', 'video_codec_level') },
  video_reference_frames: {
    ...frames,
    acceptsAuto: true,
    help: 'number of reference frames of h264 and hevc',
    defaultText: 'the number that speed implies',
  },
  h264_reference_frames: {
    ...frames,
    acceptsAuto: true,
    help: h264Only.replace('the same', 'video_reference_frames'),
  },
  video_bframes: {
    ...frames,
    help: 'maximum number of consecutive B-frames of h264 and hevc',
    defaultText: 'the number that speed implies',
  },
  h264_bframes: { ...frames, help: h264Only.replace('the same', 'video_bframes') },
  tuning: {
    kind: 'choice',
    choices: ['film', 'animation', 'grain', 'psnr', 'ssim', 'fastdecode', 'zerolatency'],
    section,
    help: 'kind of content that h264 and hevc are tuned for',
  },
  crf: {
    kind: 'integer',
    min: 1,
    max: 51,
    section,
    help: 'constant rate factor instead of quality, on the scale of h264; lower values need more bits',
  },
  constant_bitrate: {
    kind: 'boolean',
    default: false,
    section,
    help: 'keep video_bitrate constant instead of on average',
  },
  max_video_bitrate: {
    kind: 'integer',
    ...bitrateKbps,
    section,
    help: 'maximum of the average bitrate; the video is encoded again if its quality needs more',
  },
} as const satisfies SettingsTable;
