import { sidePixels } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Resolution';

/** Size and aspect ratio of the video. */
export const resolutionTable = {
  width: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section,
    help: 'width of the video',
    defaultText: 'the width of the input',
  },
  height: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section,
    help: 'height of the video',
    defaultText: 'the height of the input',
  },
  size: { kind: 'size', ...sidePixels, section, help: 'width and height together, as WIDTHxHEIGHT' },
  upscale: {
    kind: 'boolean',
    default: false,
    section,
    help: 'enlarge an input that is smaller than the output',
  },
  aspect_mode: {
    kind: 'choice',
    choices: ['preserve', 'stretch', 'crop', 'pad'],
    default: 'preserve',
    section,
    help: 'what to do if the input has another aspect ratio than width and height',
  },
} as const satisfies SettingsTable;
