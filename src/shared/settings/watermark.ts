import type { SettingsTable } from './setting.js';

const section = '4.1 Watermark';

/** One picture laid over the video. */
export const watermarkTable = {
  url: {
    kind: 'url',
    isRequired: true,
    section,
    help: 'where the picture is: PNG, GIF, JPEG or BMP, by any input scheme',
  },
  x: {
    kind: 'distance',
    isSigned: true,
    default: '-10',
    section,
    help: 'from the left, or where negative from the right, in pixels or percent; -0 is the right edge',
  },
  y: {
    kind: 'distance',
    isSigned: true,
    default: '-10',
    section,
    help: 'from the top, or where negative from the bottom, in pixels or percent; -0 is the bottom edge',
  },
  width: {
    kind: 'distance',
    isSigned: false,
    section,
    help: 'width in pixels or percent of the video; in proportion to height where only that is given',
    defaultText: 'its own',
  },
  height: {
    kind: 'distance',
    isSigned: false,
    section,
    help: 'height in pixels or percent of the video; in proportion to width where only that is given',
    defaultText: 'its own',
  },
} as const satisfies SettingsTable;

/** `watermark` of an output: one or several. */
export const watermarkSetting = {
  kind: 'list',
  of: { kind: 'object', fields: watermarkTable, section, help: 'one watermark' },
  max: 20,
  spellings: ['watermarks'],
  section,
  help: 'pictures laid over the video',
} as const;
