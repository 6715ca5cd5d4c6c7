import { accessControlSetting } from './access-control.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Thumbnails';

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
} as const satisfies SettingsTable;

/** The setting `thumbnails` of an output; an array of one object is also accepted. */
export const thumbnailsSetting = {
  kind: 'object',
  fields: thumbnailsTable,
  acceptsArray: true,
  numberField: 'number',
  section,
  help: 'PNG images taken from the output, delivered next to it',
} as const;
