import { accessControlSetting } from './access-control.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Thumbnails';

const unchecked = { kind: 'unchecked', section: 'Thumbnails' } as const;

/** The settings of the still images taken from an output. */
export const thumbnailsTable = {
  number: { kind: 'integer', min: 1, max: 500, default: 1, section, help: 'how many, evenly spaced' },
  public: {
    kind: 'boolean',
    isSentAsInteger: true,
    section,
    help: 'let everyone read the thumbnails, if the destination supports access control',
    defaultText: 'the setting of the output',
  },
  access_control: {
    ...accessControlSetting,
    help: 'grants on the thumbnails, if the destination supports access control',
    defaultText: 'the grants of the output',
  },
  label: { ...unchecked, help: 'a name of the set' },
  format: { ...unchecked, help: 'format of the images: png or jpg' },
  start_at_first_frame: { ...unchecked, help: 'begin with the first frame' },
  interval: { ...unchecked, help: 'distance between two images in seconds' },
  interval_in_frames: { ...unchecked, help: 'distance between two images in frames' },
  times: { ...unchecked, help: 'times of the images in seconds' },
  size: { ...unchecked, help: 'size of the images' },
  width: { ...unchecked, help: 'width of the images' },
  height: { ...unchecked, help: 'height of the images' },
  aspect_mode: { ...unchecked, help: 'what to do if the video has another aspect ratio than the images' },
  base_url: { ...unchecked, isSecret: true, help: 'destination folder of the images' },
  prefix: { ...unchecked, help: 'beginning of their names' },
  filename: { ...unchecked, help: 'template of their names' },
  rrs: { ...unchecked, help: 'store the images in S3 with reduced redundancy' },
  headers: { ...unchecked, isSecret: true, help: 'headers of the images in a bucket' },
  credentials: { ...unchecked, help: 'the name of saved credentials for the images' },
  parallel_upload_limit: { ...unchecked, help: 'how many images are uploaded in parallel' },
} as const satisfies SettingsTable;

/** The setting `thumbnails` of an output; an array of one object is also accepted. */
export const thumbnailsSetting = {
  kind: 'object',
  spellings: ['thumbnail'],
  fields: thumbnailsTable,
  acceptsArray: true,
  numberField: 'number',
  section,
  help: 'PNG images taken from the output, delivered next to it',
} as const;
