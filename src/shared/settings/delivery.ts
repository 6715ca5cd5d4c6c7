import type { SettingsTable } from './setting.js';

const section = 'Delivery';
const accessSection = '4.1 Access control';
const choices = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'] as const;

/** One entry of `access_control`: a grantee and its permissions on the delivered file. */
export const accessControlTable = {
  grantee: {
    kind: 'text',
    example: 'someone@example.com',
    isRequired: true,
    maxLength: 2048,
    section: accessSection,
    help: 'who is granted access: a canonical account id, an e-mail address or a group URI',
  },
  permission: {
    kind: 'list',
    of: { kind: 'choice', choices, section: accessSection, help: 'the permission that is granted' },
    max: choices.length,
    spellings: ['permissions'],
    section: accessSection,
    help: 'one permission or several; WRITE has no effect',
  },
} as const satisfies SettingsTable;

/** The setting `access_control` of an output and of its thumbnails. */
export const accessControlSetting = {
  kind: 'list',
  of: {
    kind: 'object',
    fields: accessControlTable,
    oneOf: ['permission', 'permissions'],
    section: accessSection,
    help: 'one grant',
  },
  max: 100,
  spellings: ['access_controls'],
  section: accessSection,
} as const;

/** The setting `credentials` of the job and of an output: a name, never a secret. */
export const credentialsSetting = {
  kind: 'text',
  maxLength: 64,
  emptyMeansOmitted: true,
  form: {
    pattern: '[A-Za-z0-9_.-]{1,64}',
    rule: 'must be a name of 1 to 64 letters, digits and _ . -',
    example: 'films',
  },
  section,
} as const;

const aspera = 'Aspera';
const transferRate = { kind: 'integer', unit: 'Kbps', section: aspera } as const;

/** Transfers from Aspera servers: settings of the job. */
export const asperaJobTable = {
  aspera_transfer_policy: {
    kind: 'choice',
    choices: ['fair', 'low'],
    default: 'fair',
    section: aspera,
    help: 'how a download from an Aspera server shares the network',
  },
  transfer_minimum_rate: {
    ...transferRate,
    min: 1000,
    max: 249_999,
    help: 'minimum rate of a download from an Aspera server',
  },
  transfer_maximum_rate: {
    ...transferRate,
    min: 1001,
    max: 250_000,
    help: 'maximum rate of a download from an Aspera server',
  },
} as const satisfies SettingsTable;

const uncheckedTransfer = {
  noEffect: 'nothing is uploaded to Aspera servers',
  warns: true,
  kind: 'unchecked',
  section: aspera,
  help: 'a setting of uploads to Aspera servers',
} as const;

/** How the files of an output are delivered. */
export const deliveryTable = {
  credentials: {
    seenIn: 'delivery',
    ...credentialsSetting,
    help: 'the name of saved credentials for the destination',
  },
  secondary_url: {
    seenIn: 'delivery',
    kind: 'url',
    example: 'sftp://backup.example.com/films/trailer.mp4',
    section,
    help: 'destination of the file if the delivery to url has failed',
  },
  overwrite: {
    seenIn: 'delivery',
    kind: 'boolean',
    default: false,
    section: 'addition',
    help: 'replace files that exist at a file: URL and that the job did not make; --force of run and submit sets it',
  },
  headers: {
    seenIn: 'delivery',
    kind: 'map',
    of: 'headers',
    example: { 'Cache-Control': 'max-age=3600' },
    max: 20,
    maxNameLength: 128,
    maxLength: 1024,
    reserved: [],
    section,
    help: 'headers of the object in a bucket, such as Cache-Control and x-amz-meta-title',
  },
  rrs: {
    seenIn: 'delivery',
    kind: 'boolean',
    isSentAsInteger: true,
    default: false,
    section,
    help: 'store the object in S3 with reduced redundancy',
  },
  parallel_upload_limit: {
    seenIn: 'delivery',
    kind: 'integer',
    min: 1,
    max: 30,
    section,
    help: 'how many parts of the file are uploaded in parallel',
    defaultText: 'the limit of the daemon',
  },
  aspera_transfer_policy: uncheckedTransfer,
  transfer_minimum_rate: uncheckedTransfer,
  transfer_maximum_rate: uncheckedTransfer,
} as const satisfies SettingsTable;
