import { delimiter } from 'node:path';
import { VencError } from '../shared/errors.js';
import { byteSizeParser, choiceParser, durationParser, integerParser } from '../shared/flag-parsers.js';
import { parseUrl } from '../shared/text/url-text.js';

/** A flag of `venc daemon` that can also be set in the configuration, under the same name. */
export interface DaemonFlag {
  /** The value as the help shows it, e.g. `<number>`; null for a flag without a value. */
  readonly argument: string | null;
  readonly help: string;
  /** Parses a value. Throws `UsageError`. */
  readonly read: (text: string) => unknown;
  /** The default; absent if the daemon determines it. */
  readonly fallback?: { readonly value: unknown; readonly text?: string };
  /** Whether the flag can be repeated. In the configuration the values are separated by `:`, on Windows by `;`. */
  readonly isRepeatable?: true;
}

/** Formats of the log of the daemon. */
export const logFormats = ['text', 'json'] as const;

const yesOrNo = choiceParser('--allow-private-network', ['true', 'false']);

/**
 * The flags of `venc daemon` by name, in the order of its help, except those that are only useful for a single start.
 */
export const daemonFlags = {
  host: {
    argument: '<address>',
    help: 'address to listen on',
    read: keepText,
    fallback: { value: '127.0.0.1' },
  },
  port: {
    argument: '<number>',
    help: 'port to listen on; 0 selects a free one',
    read: integerParser('--port', 0, 65_535),
    fallback: { value: 8686 },
  },
  jobs: {
    argument: '<number>',
    help: 'jobs to encode concurrently; 0 accepts jobs but starts none (default: one per two cores)',
    read: integerParser('--jobs', 0, 1024),
  },
  'files-root': {
    argument: '<folder>',
    help: 'folder that file: URLs may read from and write to; repeatable',
    read: (text) => text.split(delimiter),
    isRepeatable: true,
  },
  'allow-private-network': {
    argument: null,
    help: 'allow private addresses for inputs, outputs and notifications',
    read: Object.assign((text: string) => yesOrNo(text) === 'true', { choices: yesOrNo.choices }),
  },
  grace: {
    argument: '<time>',
    help: 'time that running jobs get to finish when the daemon stops, such as 30s or 2m',
    read: durationParser('--grace'),
    fallback: { value: 5, text: '5s' },
  },
  'stall-timeout': {
    argument: '<time>',
    help: 'give up an attempt to transfer after this time without data; it is retried up to 4 times',
    read: durationParser('--stall-timeout'),
    fallback: { value: 30, text: '30s' },
  },
  'public-url': {
    argument: '<url>',
    help: 'URL at which clients reach this daemon',
    read: httpUrl,
  },
  'min-free': {
    argument: '<size>',
    help: 'accept no jobs below this much free disk space, such as 500MB',
    read: byteSizeParser('--min-free'),
  },
  'max-outputs': {
    argument: '<number>',
    help: 'maximum number of outputs of a job',
    read: integerParser('--max-outputs', 1, 1000),
    fallback: { value: 50 },
  },
  'rate-limit': {
    argument: '<number>',
    help: 'requests per minute and key (default: unlimited)',
    read: integerParser('--rate-limit', 1, 1_000_000),
  },
  sendmail: {
    argument: '<program>',
    help: 'absolute path of the program that sends e-mail notifications, such as /usr/sbin/sendmail (default: none)',
    read: absolutePath,
  },
  'log-format': {
    argument: '<format>',
    help: 'text or json',
    read: choiceParser('--log-format', logFormats),
    fallback: { value: 'text' },
  },
} as const satisfies Readonly<Record<string, DaemonFlag>>;

/** The name of a flag in {@link daemonFlags}. */
export type DaemonFlagName = keyof typeof daemonFlags;

function keepText(text: string): string {
  return text;
}

function absolutePath(text: string): string {
  if (text.startsWith('/')) return text;
  throw new VencError(
    'UsageError',
    '--sendmail takes the absolute path of a program, such as /usr/sbin/sendmail.',
  );
}

function httpUrl(text: string): string {
  if (/^https?:/.test(text) && parseUrl(text) !== null) return text;
  throw new VencError(
    'UsageError',
    `--public-url takes a URL that begins with http:// or https://, not "${text}".`,
  );
}
