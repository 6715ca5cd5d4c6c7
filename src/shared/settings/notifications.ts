import { maxNotifications } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = 'addition';

/** One entry of `notifications`: where a notice goes, and in which form. */
export const notificationTable = {
  url: {
    kind: 'url',
    schemes: ['http', 'https'],
    isRequired: true,
    section,
    help: 'where the notice is posted to; user:password@host is allowed',
  },
  format: {
    kind: 'choice',
    choices: ['json', 'xml'],
    isCaseInsensitive: true,
    default: 'json',
    section,
    help: 'what the body of the notice is written in',
  },
  headers: {
    kind: 'map',
    max: 20,
    maxNameLength: 64,
    maxLength: 1024,
    // Those that say how long the body is, what it is and who signed it are the daemon's own.
    reserved: [
      ...['host', 'content-*', 'transfer-encoding', 'te', 'trailer', 'expect', 'webhook-*'],
      ...['connection', 'keep-alive', 'proxy-*', 'upgrade'],
    ],
    section,
    help: 'more headers to post it with, by their names',
  },
} as const satisfies SettingsTable;

/** `notifications` of a job or an output: one or several, each an object or the text of its `url`. */
export const notificationsSetting = {
  kind: 'list',
  of: {
    kind: 'object',
    fields: notificationTable,
    textField: 'url',
    section,
    help: 'one address that is told',
  },
  max: maxNotifications,
  section,
} as const;
