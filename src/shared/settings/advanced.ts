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
