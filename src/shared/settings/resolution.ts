import { sidePixels } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Resolution';

/** Size and shape of the picture. */
export const resolutionTable = {
  width: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section,
    help: 'width of the picture',
    defaultText: 'that of the input',
  },
  height: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section,
    help: 'height of the picture',
    defaultText: 'that of the input',
  },
  size: { kind: 'size', ...sidePixels, section, help: 'width and height in one, as WIDTHxHEIGHT' },
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
    help: 'what to do when the input has another shape than width and height',
  },
} as const satisfies SettingsTable;
