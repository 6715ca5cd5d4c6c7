import { accessControlSetting, credentialsSetting, deliveryTable } from './delivery.js';
import { sidePixels } from './limits.js';
import type { SettingsOf, SettingsTable } from './setting.js';
import { resolutionTable } from './video.js';

const section = '4.1 Thumbnails';
/** Settings of the hosted service that its document does not have. */
const chapter = 'Thumbnails';

const seconds = { kind: 'number', max: 360_000, unit: 'seconds', section: chapter } as const;

/** The settings of one set of still images taken from an output. */
export const thumbnailsTable = {
  label: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 255,
    emptyMeansOmitted: true,
    section: chapter,
    help: 'a name of the set, shown in records; unique within the output',
  },
  format: {
    kind: 'choice',
    choices: ['png', 'jpg'],
    aliases: { jpeg: 'jpg' },
    default: 'png',
    section: chapter,
    help: 'format of the images',
  },
  number: { kind: 'integer', min: 1, max: 500, default: 1, section, help: 'how many, evenly spaced' },
  start_at_first_frame: {
    kind: 'boolean',
    isSentAsInteger: true,
    default: false,
    section: chapter,
    help: 'with number or interval, take the first image at 0 seconds',
  },
  interval: { ...seconds, min: 0.001, example: 10, help: 'distance between two images; overrides number' },
  interval_in_frames: {
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    unit: 'frames of the input',
    section: chapter,
    help: 'distance between two images; overrides interval and number',
  },
  times: {
    kind: 'list',
    of: { ...seconds, min: 0, help: 'time of one image' },
    max: 500,
    section: chapter,
    help: 'times of the images in the output; overrides the interval and number',
  },
  size: {
    kind: 'size',
    ...sidePixels,
    section: chapter,
    help: 'width and height of the images, as WIDTHxHEIGHT; overrides width and height',
  },
  width: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section: chapter,
    help: 'width of the images; the height is in proportion if only the width is given',
    defaultText: 'the width of the video',
  },
  height: {
    kind: 'integer',
    ...sidePixels,
    unit: 'pixels',
    section: chapter,
    help: 'height of the images; the width is in proportion if only the height is given',
    defaultText: 'the height of the video',
  },
  aspect_mode: {
    kind: 'choice',
    choices: resolutionTable.aspect_mode.choices,
    default: 'preserve',
    section: chapter,
    help: 'what to do if the video has another aspect ratio than width and height; only preserve never enlarges',
  },
  base_url: {
    seenIn: 'delivery',
    kind: 'url',
    example: 's3://films/stills',
    emptyMeansOmitted: true,
    section: chapter,
    help: 'destination folder of the images',
    defaultText: 'the folder of the video',
  },
  prefix: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 200,
    emptyMeansOmitted: true,
    form: {
      pattern: '(?!\\.{1,2}$)[^/]+',
      rule: 'must be a part of a file name, without /',
      example: 'still',
    },
    section: chapter,
    help: 'beginning of the names of the images; _0000 and the extension follow',
    defaultText: 'the name of the video; with base_url: frame',
  },
  filename: {
    seenIn: 'delivery',
    kind: 'text',
    example: 'still-{{padded_number}}',
    maxLength: 2048,
    isPath: true,
    emptyMeansOmitted: true,
    section: chapter,
    help: 'name with {{number}} or {{padded_number}}, and {{width}}, {{height}}, {{size}} or {{label}}; overrides prefix',
  },
  public: {
    seenIn: 'delivery',
    kind: 'boolean',
    isSentAsInteger: true,
    section,
    help: 'let everyone read the thumbnails, if the destination supports access control',
    defaultText: 'the setting of the output',
  },
  access_control: {
    seenIn: 'delivery',
    ...accessControlSetting,
    help: 'grants on the thumbnails, if the destination supports access control',
    defaultText: 'the grants of the output',
  },
  rrs: {
    seenIn: 'delivery',
    kind: 'boolean',
    isSentAsInteger: true,
    section: chapter,
    help: 'store the images in S3 with reduced redundancy',
    defaultText: 'the setting of the output',
  },
  headers: {
    ...deliveryTable.headers,
    section: chapter,
    help: 'headers of the images in a bucket, such as Cache-Control',
  },
  credentials: {
    seenIn: 'delivery',
    ...credentialsSetting,
    section: chapter,
    help: 'the name of saved credentials for base_url',
    defaultText: 'those of the output, if they are for the same scheme',
  },
  parallel_upload_limit: {
    seenIn: 'delivery',
    kind: 'integer',
    min: 1,
    max: 30,
    default: 1,
    section: chapter,
    help: 'how many images are uploaded in parallel',
  },
} as const satisfies SettingsTable;

/** The settings of one set of thumbnails. */
export type ThumbnailSettings = SettingsOf<typeof thumbnailsTable>;

/** The setting `thumbnails` of an output: one set or several. */
export const thumbnailsSetting = {
  kind: 'list',
  of: {
    kind: 'object',
    fields: thumbnailsTable,
    numberField: 'number',
    example: { number: 3, size: '320x180' },
    section,
    help: 'one set of images',
  },
  max: 20,
  isSentAlone: true,
  spellings: ['thumbnail'],
  section,
  help: 'images taken from the output, each set as PNG or JPEG',
} as const;
