import { framesPerSecond } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = 'Video effects';

/** Filters, fields, orientation and signalling of the video. */
export const videoEffectsTable = {
  min_frame_rate: {
    kind: 'number',
    ...framesPerSecond,
    section,
    help: 'minimum frame rate; lower rates are raised to it by repeating frames',
  },
  deinterlace_mode: {
    kind: 'choice',
    choices: ['frame-to-frame', 'field-to-frame'],
    section,
    help: 'make one frame of each two fields, or one of each field, which doubles the frame rate',
    defaultText: 'frame-to-frame, or field-to-frame if frame_rate is twice that of the input',
  },
  flip: {
    kind: 'choice',
    choices: ['horizontal', 'vertical'],
    section,
    help: 'mirror the video, before it is rotated',
  },
  sample_aspect_ratio: {
    kind: 'ratio',
    max: 65_535,
    section,
    help: 'shape of one pixel in the file; width and height are in these pixels, and are used exactly by default',
    defaultText: '1:1',
  },
  color_metadata: {
    kind: 'choice',
    choices: ['preserve', 'discard'],
    default: 'preserve',
    section,
    help: 'whether the file declares its colours',
  },
  force_interlace_headers: {
    kind: 'boolean',
    default: false,
    section,
    help: 'declare the video as interlaced, although its frames are progressive (h264)',
  },
  denoise: {
    kind: 'choice',
    choices: ['weak', 'medium', 'strong', 'strongest'],
    trueMeans: 'weak',
    section,
    help: 'reduce noise',
  },
  sharpen: {
    kind: 'boolean',
    default: false,
    spellings: ['sharpet'],
    section,
    help: 'sharpen the scaled video',
  },
  deblock: {
    kind: 'boolean',
    default: false,
    section,
    help: 'smooth the block edges of a strongly compressed input',
  },
  autolevel: {
    kind: 'boolean',
    default: false,
    spellings: ['auto_level'],
    section,
    help: 'spread the brightness and the colours over the full range',
  },
} as const satisfies SettingsTable;
