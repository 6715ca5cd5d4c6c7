import type { RecordTable } from './field.js';

/** A preset, an addition to the document. */
export const presetFields = {
  name: { type: 'string', description: 'its name' },
  source: {
    type: 'string',
    values: ['account', 'shipped'],
    description: 'account: the account has saved it; shipped: it comes with venc',
  },
  summary: { type: 'string', isNullable: true, description: 'what a shipped preset is for; null for others' },
  settings: { type: 'object', fields: {}, isOpen: true, description: 'a request without an input' },
} as const satisfies RecordTable;

/** A preset that was saved. */
export const savedPresetFields = {
  ...presetFields,
  warnings: {
    type: 'array',
    isOptional: true,
    item: 'warning',
    of: {
      type: 'object',
      fields: {
        field: { type: 'string', description: 'path of the setting' },
        message: { type: 'string', description: 'what happens: a sentence without the path' },
      },
      description: 'one warning',
    },
    description: 'settings without effect',
  },
} as const satisfies RecordTable;

/** The presets of an account and those that come with venc. */
export const presetListFields = {
  presets: {
    type: 'array',
    of: { type: 'object', fields: presetFields, description: 'one preset' },
    item: 'preset',
    description: 'the presets of the account by name, and then those that come with venc',
  },
} as const satisfies RecordTable;
