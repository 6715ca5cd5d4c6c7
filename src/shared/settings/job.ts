import { notificationsSetting } from './notifications.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Job';

/** Fields of the request itself, but for its outputs and its key. */
export const jobTable = {
  input: {
    kind: 'url',
    isRequired: true,
    section,
    help: 'the URL of the file to encode; user:password@host is allowed',
  },
  test: {
    kind: 'boolean',
    isSentAsInteger: true,
    default: false,
    section,
    help: 'test mode: encode the first 5 seconds only',
  },
  download_connections: {
    kind: 'integer',
    min: 1,
    max: 25,
    default: 5,
    section,
    help: 'connections to download the input with, where its server allows several',
  },
  region: {
    kind: 'text',
    maxLength: 255,
    mayBeEmpty: true,
    section,
    help: 'where to encode: us, europe or asia; best effort, and never an error',
  },
  grouping: {
    kind: 'text',
    maxLength: 255,
    section: 'addition',
    help: 'report grouping that the job is counted under',
  },
  pass_through: {
    kind: 'text',
    maxLength: 255,
    mayBeEmpty: true,
    section: 'addition',
    help: 'a text that is kept with the job and given back',
  },
  notifications: {
    ...notificationsSetting,
    help: 'a URL that is told when the job has come to its end',
  },
  mock: {
    kind: 'boolean',
    default: false,
    section: 'addition',
    help: 'only check the request; nothing is queued',
  },
} as const satisfies SettingsTable;
