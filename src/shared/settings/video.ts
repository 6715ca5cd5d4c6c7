import { bitrateKbps, framesPerSecond, sidePixels } from './limits.js';
import type { SettingsTable } from './setting.js';

const videoBitrate = '4.1 Video bitrate';

/** Quality and bitrate of the video. */
export const videoRateTable = {
  quality: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section: videoBitrate,
    help: 'video quality; higher values need more bits',
  },
  video_bitrate: {
    kind: 'integer',
    ...bitrateKbps,
    section: videoBitrate,
    help: 'video bitrate: a predictable size instead of a predictable quality; overrides quality',
  },
  target_size: {
    kind: 'bytes',
    min: 10_000,
    max: 1_000_000_000_000,
    section: 'addition',
    help: 'size of the file with its audio, within 2 % and never above; overrides quality',
  },
  bitrate_cap: {
    kind: 'integer',
    ...bitrateKbps,
    spellings: ['decoder_bitrate_cap'],
    section: videoBitrate,
    help: 'maximum bitrate at any moment',
  },
  buffer_size: {
    kind: 'integer',
    ...bitrateKbps,
    unit: 'kbit',
    spellings: ['decoder_buffer_size'],
    section: videoBitrate,
    help: 'size of the decoder buffer that bitrate_cap applies to',
    defaultText: 'one and a half seconds of bitrate_cap',
  },
  onepass: {
    kind: 'boolean',
    default: false,
    spellings: ['one_pass'],
    section: videoBitrate,
    help: 'encode in one pass where video_bitrate, or the quality of vp9, needs two: faster but less exact',
  },
} as const satisfies SettingsTable;

/** Whether the video is encoded at a bitrate: a given one, or the one that follows from the size of the file. */
export function hasTargetBitrate(given: Partial<Record<'video_bitrate' | 'target_size', number>>): boolean {
  return given.video_bitrate !== undefined || given.target_size !== undefined;
}

const resolution = '4.1 Resolution';

/** Size and aspect ratio of the video. */
export const resolutionTable = {
  width: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section: resolution,
    help: 'width of the video',
    defaultText: 'the width of the input',
  },
  height: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section: resolution,
    help: 'height of the video',
    defaultText: 'the height of the input',
  },
  size: {
    kind: 'size',
    ...sidePixels,
    section: resolution,
    help: 'width and height together, as WIDTHxHEIGHT',
  },
  upscale: {
    kind: 'boolean',
    default: false,
    section: resolution,
    help: 'enlarge an input that is smaller than the output',
  },
  aspect_mode: {
    kind: 'choice',
    choices: ['preserve', 'stretch', 'crop', 'pad'],
    default: 'preserve',
    section: resolution,
    help: 'what to do if the input has another aspect ratio than width and height',
  },
} as const satisfies SettingsTable;

const keyframes = 'Keyframes';

/** Where the keyframes of the video are, besides `keyframe_interval`. */
export const keyframesTable = {
  keyframe_rate: {
    kind: 'number',
    min: 0.001,
    max: 100,
    section: keyframes,
    help: 'minimum number of keyframes per second; keyframe_interval overrides it',
  },
  fixed_keyframe_interval: {
    kind: 'boolean',
    default: false,
    section: keyframes,
    help: 'place keyframes at the requested distance and nowhere else, not even where the image changes',
  },
  forced_keyframe_interval: {
    kind: 'integer',
    min: 1,
    max: 100_000,
    unit: 'frames',
    spellings: ['force_keyframe_interval'],
    section: keyframes,
    help: 'make every Nth frame a keyframe; further keyframes are allowed',
  },
  forced_keyframe_rate: {
    kind: 'number',
    min: 0.001,
    max: 100,
    spellings: ['force_keyframe_rate'],
    section: keyframes,
    help: 'make the first frame of every period of 1/N seconds a keyframe; forced_keyframe_interval overrides it',
  },
  prepare_for_segmenting: {
    kind: 'list',
    of: {
      kind: 'choice',
      choices: ['hls', 'dash', 'mss'],
      trueMeans: 'hls',
      section: keyframes,
      help: 'one kind of segments',
    },
    max: 3,
    isCommaSeparated: true,
    section: keyframes,
    help: 'place keyframes where segments of this kind begin: every 10 seconds for hls, every 2 seconds for dash and mss',
  },
} as const satisfies SettingsTable;

const videoEffects = 'Video effects';

/** Filters, fields, orientation and signalling of the video. */
export const videoEffectsTable = {
  min_frame_rate: {
    kind: 'number',
    ...framesPerSecond,
    section: videoEffects,
    help: 'minimum frame rate; lower rates are raised to it by repeating frames',
  },
  deinterlace_mode: {
    kind: 'choice',
    choices: ['frame-to-frame', 'field-to-frame'],
    section: videoEffects,
    help: 'make one frame of each two fields, or one of each field, which doubles the frame rate',
    defaultText: 'frame-to-frame, or field-to-frame if frame_rate is twice that of the input',
  },
  flip: {
    kind: 'choice',
    choices: ['horizontal', 'vertical'],
    section: videoEffects,
    help: 'mirror the video, before it is rotated',
  },
  sample_aspect_ratio: {
    kind: 'ratio',
    max: 65_535,
    section: videoEffects,
    help: 'shape of one pixel in the file; width and height are in these pixels, and are used exactly by default',
    defaultText: '1:1',
  },
  color_metadata: {
    kind: 'choice',
    choices: ['preserve', 'discard'],
    default: 'preserve',
    section: videoEffects,
    help: 'whether the file declares its colours',
  },
  force_interlace_headers: {
    kind: 'boolean',
    default: false,
    section: videoEffects,
    help: 'declare the video as interlaced, although its frames are progressive (h264)',
  },
  denoise: {
    kind: 'choice',
    choices: ['weak', 'medium', 'strong', 'strongest'],
    trueMeans: 'weak',
    section: videoEffects,
    help: 'reduce noise',
  },
  sharpen: {
    kind: 'boolean',
    default: false,
    spellings: ['sharpet'],
    section: videoEffects,
    help: 'sharpen the scaled video',
  },
  deblock: {
    kind: 'boolean',
    default: false,
    section: videoEffects,
    help: 'smooth the block edges of a strongly compressed input',
  },
  autolevel: {
    kind: 'boolean',
    default: false,
    spellings: ['auto_level'],
    section: videoEffects,
    help: 'spread the brightness and the colours over the full range',
  },
} as const satisfies SettingsTable;

const section = '4.1 Watermark';

/** One image that is overlaid on the video. */
export const watermarkTable = {
  url: {
    seenIn: 'delivery',
    kind: 'url',
    example: 'https://example.com/logo.png',
    isRequired: true,
    section,
    help: 'URL of the image: PNG, GIF, JPEG or BMP, by any input scheme',
  },
  x: {
    kind: 'distance',
    isSigned: true,
    default: '-10',
    section,
    help: 'distance from the left, or from the right if negative (-0), in pixels or percent, or centered',
  },
  y: {
    kind: 'distance',
    isSigned: true,
    default: '-10',
    section,
    help: 'distance from the top, or from the bottom if negative (-0), in pixels or percent, or centered',
  },
  width: {
    kind: 'distance',
    isSigned: false,
    section,
    help: 'width in pixels or percent of the video; in proportion to height if only height is given',
    defaultText: 'the width of the image',
  },
  height: {
    kind: 'distance',
    isSigned: false,
    section,
    help: 'height in pixels or percent of the video; in proportion to width if only width is given',
    defaultText: 'the height of the image',
  },
  origin: {
    kind: 'choice',
    choices: ['content', 'frame'],
    default: 'content',
    section: 'Watermarks',
    help: 'what x and y are measured in with aspect_mode pad: the video, or the frame with its bars',
  },
  opacity: {
    kind: 'number',
    min: 0,
    max: 1,
    default: 1,
    section: 'Watermarks',
    help: 'opacity, from invisible to that of the image',
  },
} as const satisfies SettingsTable;

/** The setting `watermark` of an output: one or several. */
export const watermarkSetting = {
  kind: 'list',
  of: { kind: 'object', fields: watermarkTable, section, help: 'one watermark' },
  max: 20,
  spellings: ['watermarks'],
  section,
  help: 'images overlaid on the video',
} as const;
