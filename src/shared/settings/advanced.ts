import { bitrateKbps, clipSeconds, framesPerSecond } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Advanced';

/** Frames, fields, rotation and clips. */
export const advancedTable = {
  deinterlace: {
    kind: 'choice',
    choices: ['on', 'off', 'detect'],
    default: 'detect',
    section,
    help: 'convert fields to whole frames; detect uses the field order that the file declares',
  },
  max_frame_rate: {
    kind: 'number',
    ...framesPerSecond,
    section,
    help: 'maximum frame rate; higher rates are reduced to it',
  },
  frame_rate: {
    kind: 'number',
    ...framesPerSecond,
    section,
    help: 'frame rate',
    defaultText: 'the frame rate of the input',
  },
  decimate: {
    kind: 'number',
    min: 1,
    max: 1000,
    section,
    help: 'divide the frame rate of the input by this',
  },
  keyframe_interval: {
    kind: 'integer',
    min: 1,
    max: 100_000,
    default: 250,
    unit: 'frames',
    section,
    help: 'maximum distance between two keyframes',
  },
  rotate: {
    kind: 'number-choice',
    choices: [0, 90, 180, 270],
    section,
    help: 'degrees to rotate the video clockwise; 0 keeps the stored orientation',
    defaultText: 'rotated for display, as declared by the file',
  },
  start_clip: {
    kind: 'time',
    maxSeconds: clipSeconds,
    section,
    help: 'start position, as HH:MM:SS.S or in seconds',
    defaultText: 'the beginning',
  },
  clip_length: {
    kind: 'time',
    isAboveZero: true,
    maxSeconds: clipSeconds,
    section,
    help: 'length to encode, as HH:MM:SS.S or in seconds',
    defaultText: 'to the end',
  },
  allow_truncated: {
    seenIn: 'delivery',
    kind: 'boolean',
    default: false,
    section: 'addition',
    help: 'encode what is there of a truncated or damaged input, with a warning, instead of failing',
  },
} as const satisfies SettingsTable;

const codecOptions = 'Video codec options';

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

const level = {
  kind: 'choice',
  example: '4.1',
  choices: levels,
  aliases: levelAliases,
  section: codecOptions,
} as const;
const frames = { kind: 'integer', min: 0, max: 16, section: codecOptions } as const;
const h264Only = 'the same, only if the codec is h264';

/** Options of the video encoder. Those that begin with `h264_` apply to H.264 only. */
export const codecOptionsTable = {
  video_codec_profile: {
    kind: 'choice',
    choices: profiles,
    section: codecOptions,
    spellings: ['videoe_codec_profile'],
    help: 'profile of the video codec',
    defaultText: 'high for h264, main for hevc and av1, 0 for vp9',
  },
  h264_profile: {
    kind: 'choice',
    choices: h264Profiles,
    section: codecOptions,
    help: h264Only.replace('the same', 'video_codec_profile'),
  },
  video_bit_depth: {
    kind: 'number-choice',
    choices: [8, 10, 12],
    mayBeAuto: true,
    default: 8,
    section: codecOptions,
    help: 'bits per sample of the video; auto: 10 for hevc, av1 and vp9 if the input has more than 8',
  },
  video_color_range: {
    kind: 'choice',
    choices: ['limited', 'full'],
    default: 'limited',
    section: codecOptions,
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
    section: codecOptions,
    help: 'kind of content that h264 and hevc are tuned for',
  },
  crf: {
    kind: 'integer',
    min: 1,
    max: 51,
    section: codecOptions,
    help: 'constant rate factor instead of quality, on the scale of h264; lower values need more bits',
  },
  constant_bitrate: {
    kind: 'boolean',
    default: false,
    section: codecOptions,
    help: 'keep video_bitrate constant instead of on average',
  },
  max_video_bitrate: {
    kind: 'integer',
    ...bitrateKbps,
    section: codecOptions,
    help: 'maximum of the average bitrate; the video is encoded again if its quality needs more',
  },
} as const satisfies SettingsTable;
