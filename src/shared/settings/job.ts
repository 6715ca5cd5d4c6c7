import { asperaJobTable, credentialsSetting } from './delivery.js';
import { presetSetting, requiresSetting, strictSetting } from './general.js';
import { ladderJobTable } from './ladders.js';
import { jobPriority, maxInputNameLength } from './limits.js';
import { notAppliedJobTable } from './not-applied.js';
import { notificationsSetting } from './notifications.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 Job';

/** Fields of the request except its outputs and its API key. */
export const jobTable = {
  input: {
    kind: 'url',
    isRequired: true,
    mayBePath: true,
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
    min: 0,
    max: 25,
    default: 5,
    section,
    help: 'number of connections that download the input, if its server allows several; 0 is 1',
  },
  region: {
    noEffect: 'all jobs are encoded on this machine',
    kind: 'text',
    maxLength: 255,
    mayBeEmpty: true,
    invalidMeansOmitted: true,
    section,
    help: 'region to encode in: us, europe or asia; best effort, never an error',
  },
  grouping: {
    kind: 'text',
    maxLength: 255,
    section: 'addition',
    help: 'report grouping of the job',
  },
  pass_through: {
    kind: 'text',
    maxLength: 255,
    mayBeEmpty: true,
    section: 'addition',
    help: 'a text that is stored with the job and returned with it',
  },
  input_name: {
    kind: 'text',
    maxLength: maxInputNameLength,
    emptyMeansOmitted: true,
    section: 'addition',
    example: '/home/ada/films/trailer.mov',
    help: 'the name of the input as people know it; submit sends the path of an uploaded file; only the account sees it',
  },
  priority: {
    kind: 'integer',
    ...jobPriority,
    default: 0,
    section: 'addition',
    example: 5,
    help: 'jobs with a greater priority begin before other waiting jobs of the account',
  },
  keep: {
    kind: 'text',
    maxLength: 32,
    form: {
      pattern: '[0-9]{1,9}(?:\\.[0-9]{1,3})?[smhdw]',
      rule: 'must be a time such as 12h or 7d',
      example: '7d',
    },
    argument: 'time',
    section: 'addition',
    help: 'how long the daemon hosts the outputs without a destination, up to its --hosted-hours',
    defaultText: '24h',
  },
  requires: {
    ...requiresSetting,
    help: 'a label that a machine must have to work on the job',
  },
  preset: {
    ...presetSetting,
    help: 'the name of a preset of the account or of venc, whose settings those of the request override',
  },
  notifications: {
    seenIn: 'notification',
    ...notificationsSetting,
    help: 'a URL that is notified when the job has ended',
  },
  credentials: {
    seenIn: 'delivery',
    ...credentialsSetting,
    help: 'the name of saved credentials for the input',
  },
  private: {
    kind: 'boolean',
    default: false,
    section: 'Job',
    help: 'keep the URLs of the job out of the log; its input is shown as private',
  },
  expected_md5_checksum: {
    kind: 'text',
    maxLength: 32,
    form: {
      pattern: '[0-9A-Fa-f]{32}',
      rule: 'must be 32 hexadecimal digits',
      example: '5d41402abc4b2a76b9719d911017c592',
    },
    section: 'Job',
    help: 'the MD5 that the downloaded input must have',
  },
  ...asperaJobTable,
  strict: { ...strictSetting, default: false },
  mock: {
    kind: 'boolean',
    default: false,
    section: 'addition',
    help: 'only validate the request; nothing is queued',
  },
  ...ladderJobTable,
  ...notAppliedJobTable,
} as const satisfies SettingsTable;
