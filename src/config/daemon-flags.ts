import { delimiter } from 'node:path';
import { VencError } from '../shared/errors.js';
import { byteSizeParser, choiceParser, durationParser, integerParser } from '../shared/flag-parsers.js';

/** A flag of `venc daemon` that can be configured too, under its own name. */
export interface DaemonFlag {
  /** Its value as the help shows it, e.g. `<number>`; null for a flag that takes none. */
  readonly argument: string | null;
  readonly help: string;
  /** The value that a text stands for. Throws `UsageError`. */
  readonly read: (text: string) => unknown;
  /** What goes where nothing is said; absent where that is for the daemon to find out. */
  readonly fallback?: { readonly value: unknown; readonly text?: string };
  /** It may be given several times. What is configured has the values with `:` between them, on Windows `;`. */
  readonly isRepeatable?: true;
}

/** Forms of the daemon's log. */
export const logFormats = ['text', 'json'] as const;

const yesOrNo = choiceParser('--allow-private-network', ['true', 'false']);

/** The flags of `venc daemon`, but for those that make sense at one start alone, by their names, in the order of its help. */
export const daemonFlags = {
  host: {
    argument: '<address>',
    help: 'address to listen at',
    read: keepText,
    fallback: { value: '127.0.0.1' },
  },
  port: {
    argument: '<number>',
    help: 'port to listen at; 0 picks a free one',
    read: integerParser('--port', 0, 65_535),
    fallback: { value: 8686 },
  },
  jobs: {
    argument: '<number>',
    help: 'jobs to encode at once; 0 takes jobs and starts none (default: one for every two cores)',
    read: integerParser('--jobs', 0, 1024),
  },
  'files-root': {
    argument: '<folder>',
    help: 'folder below which file: URLs may read and write; repeatable',
    read: (text) => text.split(delimiter),
    isRepeatable: true,
  },
  'allow-private-network': {
    argument: null,
    help: 'let inputs come from addresses that are not public, and notifications go there',
    read: Object.assign((text: string) => yesOrNo(text) === 'true', { choices: yesOrNo.choices }),
  },
  grace: {
    argument: '<time>',
    help: 'time that running jobs get at a stop, such as 30s or 2m',
    read: durationParser('--grace'),
    fallback: { value: 5, text: '5s' },
  },
  'stall-timeout': {
    argument: '<time>',
    help: 'give a transfer up after this time without a byte',
    read: durationParser('--stall-timeout'),
    fallback: { value: 30, text: '30s' },
  },
  'public-url': {
    argument: '<url>',
    help: 'address under which clients reach this daemon',
    read: httpUrl,
  },
  'min-free': {
    argument: '<size>',
    help: 'take no jobs below this much free disk, such as 500MB',
    read: byteSizeParser('--min-free'),
  },
  'max-outputs': {
    argument: '<number>',
    help: 'outputs that a job may have',
    read: integerParser('--max-outputs', 1, 1000),
    fallback: { value: 50 },
  },
  'rate-limit': {
    argument: '<number>',
    help: 'requests a minute that one key may make (default: any number)',
    read: integerParser('--rate-limit', 1, 1_000_000),
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

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new VencError('UsageError', '--public-url takes an address that begins with http:// or https://.');
}
