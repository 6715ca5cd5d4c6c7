import { accessControlSetting } from './access-control.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Thumbnails';

/** Pictures taken from the output. */
export const thumbnailsTable = {
  number: { kind: 'integer', min: 1, max: 500, default: 1, section, help: 'how many, evenly spaced' },
  public: {
    kind: 'boolean',
    isSentAsInteger: true,
    section,
    help: 'let everybody read the thumbnails, where the destination knows grants',
    defaultText: 'that of the output',
  },
  access_control: {
    ...accessControlSetting,
    help: 'grants on the thumbnails, where the destination knows them',
    defaultText: 'those of the output',
  },
} as const satisfies SettingsTable;

/** `thumbnails` of an output; an array of one is taken as well. */
export const thumbnailsSetting = {
  kind: 'object',
  fields: thumbnailsTable,
  acceptsArray: true,
  numberField: 'number',
  section,
  help: 'PNG pictures taken from the output, delivered beside it',
} as const;
