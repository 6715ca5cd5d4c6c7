import type { SettingsTable } from './setting.js';

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
