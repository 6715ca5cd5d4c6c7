import type { SettingsTable } from './setting.js';

const section = '4.1 Access control';
const choices = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'] as const;

/** One entry of `access_control`: a grantee and its permissions on the delivered file. */
export const accessControlTable = {
  grantee: {
    kind: 'text',
    example: 'someone@example.com',
    isRequired: true,
    maxLength: 2048,
    section,
    help: 'who is granted access: a canonical account id, an e-mail address or a group URI',
  },
  permission: {
    kind: 'list',
    of: { kind: 'choice', choices, section, help: 'the permission that is granted' },
    max: choices.length,
    spellings: ['permissions'],
    section,
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
    section,
    help: 'one grant',
  },
  max: 100,
  spellings: ['access_controls'],
  section,
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
  section: 'Delivery',
} as const;
