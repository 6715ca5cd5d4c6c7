import { maxNotifications } from './limits.js';
import type { SettingsTable } from './setting.js';

const section = 'addition';

/** One entry of `notifications`: the URL that is notified, and the format of the notification. */
export const notificationTable = {
  url: {
    kind: 'url',
    example: 'https://example.com/notifications',
    schemes: ['http', 'https'],
    acceptsEmail: true,
    isRequired: true,
    section,
    help: 'URL that the notification is posted to; an e-mail address if the daemon has --sendmail',
  },
  format: {
    kind: 'choice',
    choices: ['json', 'xml'],
    default: 'json',
    section,
    help: 'format of the body of the notification',
  },
  event: {
    noEffect: 'it belongs to live streaming',
    warns: true,
    kind: 'unchecked',
    type: 'string',
    section: 'Live streaming',
    help: 'the event of a live stream that is notified',
  },
  headers: {
    kind: 'map',
    of: 'headers',
    max: 20,
    maxNameLength: 64,
    maxLength: 1024,
    // The daemon itself sets the headers for the length, the type and the signature of the body.
    reserved: [
      ...['host', 'content-*', 'transfer-encoding', 'te', 'trailer', 'expect', 'webhook-*'],
      ...['connection', 'keep-alive', 'proxy-*', 'upgrade'],
    ],
    section,
    help: 'additional headers of the notification, by name',
  },
} as const satisfies SettingsTable;

/** The setting `notifications` of a job or an output: one or several, each an object or the text of its `url`. */
export const notificationsSetting = {
  kind: 'list',
  of: {
    kind: 'object',
    fields: notificationTable,
    textField: 'url',
    section,
    help: 'one URL that is notified',
  },
  max: maxNotifications,
  spellings: ['notification'],
  section,
} as const;
