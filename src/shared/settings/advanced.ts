import { clipSeconds, framesPerSecond } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Advanced';

/** Frames, fields, rotation and clips. */
export const advancedTable = {
  deinterlace: {
    kind: 'choice',
    choices: ['on', 'off', 'detect'],
    default: 'detect',
    section,
    help: 'make whole frames of fields; detect goes by what the file says of itself',
  },
  max_frame_rate: {
    kind: 'number',
    ...framesPerSecond,
    section,
    help: 'lower the frame rate to this where it is higher',
  },
  frame_rate: {
    kind: 'number',
    ...framesPerSecond,
    section,
    help: 'frame rate',
    defaultText: 'that of the input',
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
    help: 'greatest distance between two keyframes',
  },
  rotate: {
    kind: 'number-choice',
    choices: [0, 90, 180, 270],
    section,
    help: 'degrees to turn the picture clockwise; 0 leaves it as it is stored',
    defaultText: 'upright, as the file says',
  },
  start_clip: {
    kind: 'time',
    maxSeconds: clipSeconds,
    section,
    help: 'where to begin, as HH:MM:SS.S or in seconds',
    defaultText: 'the beginning',
  },
  clip_length: {
    kind: 'time',
    isAboveZero: true,
    maxSeconds: clipSeconds,
    section,
    help: 'how much to encode, as HH:MM:SS.S or in seconds',
    defaultText: 'to the end',
  },
} as const satisfies SettingsTable;
