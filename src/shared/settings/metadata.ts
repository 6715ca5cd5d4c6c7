import type { SettingsTable } from './setting.js';

const section = 'Tags and chapters';

/** What an output keeps of the tags and chapters of its input. */
export const metadataTable = {
  metadata: {
    kind: 'map',
    of: 'tags',
    words: ['keep', 'drop', 'keep-all'],
    max: 100,
    maxNameLength: 100,
    maxLength: 10_000,
    reserved: [],
    example: { title: 'Holidays', date: '2026' },
    section,
    help: 'tags to set besides those of the input, as title=Holidays; or keep, keep-all (with its location) or drop',
    defaultText: 'keep',
  },
  chapters: {
    kind: 'choice',
    choices: ['keep', 'drop'],
    default: 'keep',
    section,
    help: 'chapters of the input',
  },
} as const satisfies SettingsTable;
