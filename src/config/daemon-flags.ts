import { isIP } from 'node:net';
import { delimiter } from 'node:path';
import { VencError } from '../shared/errors.js';
import { byteSizeParser, choiceParser, durationParser, integerParser } from '../shared/flag-parsers.js';
import { parseHours } from '../shared/hours.js';
import { formatBytes } from '../shared/text/numbers.js';
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
  /** The environment variable that overrides the configuration. */
  readonly variable?: string;
  /** Whether a flag without a value holds unless `--no-<name>` or the configuration turns it off. */
  readonly isOnByDefault?: true;
  /** Whether the flag can be repeated. In the configuration the values are separated by `:`, on Windows by `;`. */
  readonly isRepeatable?: true;
}

/** Whether ffmpeg runs in a sandbox: if possible, always, or never. */
const sandboxModes = ['auto', 'bwrap', 'none'] as const;

/** Formats of the log of the daemon. */
const logFormats = ['text', 'json'] as const;

/** With less memory no ffmpeg starts. */
const minEncodeMemoryBytes = 100_000_000;

/** A parser of a flag without a value, which the configuration sets to true or false. */
function switchParser(flag: string): ((text: string) => boolean) & { readonly choices: readonly string[] } {
  const read = choiceParser(flag, ['true', 'false']);
  return Object.assign((text: string) => read(text) === 'true', { choices: read.choices });
}

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
    help: 'jobs to encode concurrently; 0 leaves all to workers (default: one per two cores)',
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
    read: switchParser('--allow-private-network'),
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
  ui: {
    argument: null,
    help: 'serve no page at /ui',
    read: switchParser('--ui'),
    isOnByDefault: true,
    fallback: { value: true },
  },
  'ui-host': {
    argument: '<name>',
    help: 'name under which browsers may open the page, besides localhost, addresses, --host and --public-url; repeatable',
    read: (text) => text.split(delimiter),
    isRepeatable: true,
  },
  'ui-user-header': {
    argument: '<header>',
    help: 'header in which a proxy names the account that is signed in at the page; needs --trust-proxy',
    read: headerName,
  },
  'trust-proxy': {
    argument: '<networks>',
    help: 'addresses of proxies whose headers count for the page, such as 10.0.0.0/8,::1; separated by commas',
    read: networks,
  },
  hosted: {
    argument: '<url>',
    help: 'bucket that keeps hosted files and uploads, such as s3://bucket/prefix (default: the data folder)',
    read: bucketUrl,
  },
  'output-dir': {
    argument: '<folder>',
    help: 'keep hosted outputs here as well, in a folder per account, after they expire; not with --hosted',
    read: keepText,
  },
  'hosted-hours': {
    argument: '<hours>',
    help: 'the longest time that a job can ask for with keep; without it, hosted files are kept for 24 hours',
    read: integerParser('--hosted-hours', 24, 8760),
    fallback: { value: 168 },
  },
  database: {
    argument: '<dsn>',
    help: 'keep jobs in PostgreSQL: postgres://USER@HOST:PORT/NAME (or VENC_DATABASE; default: the data folder)',
    read: (text) => text,
    variable: 'VENC_DATABASE',
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
  sandbox: {
    argument: '<mode>',
    help: 'run ffmpeg in a sandbox of bubblewrap: auto (if possible), bwrap (always) or none',
    read: choiceParser('--sandbox', sandboxModes),
    fallback: { value: 'auto' },
  },
  'encode-stall-timeout': {
    argument: '<time>',
    help: 'end an encoder that makes no progress for this time',
    read: positive('--encode-stall-timeout', durationParser('--encode-stall-timeout')),
    fallback: { value: 600, text: '10m' },
  },
  'max-encode-time': {
    argument: '<time>',
    help: 'maximum time of one run of ffmpeg (default: unlimited)',
    read: positive('--max-encode-time', durationParser('--max-encode-time')),
  },
  'max-input-duration': {
    argument: '<time>',
    help: 'maximum duration of an input (default: unlimited)',
    read: positive('--max-input-duration', durationParser('--max-input-duration')),
  },
  'max-output-size': {
    argument: '<size>',
    help: 'maximum size of each file that ffmpeg writes (default: the free space)',
    read: positive('--max-output-size', byteSizeParser('--max-output-size')),
  },
  'max-encode-memory': {
    argument: '<size>',
    help: 'memory of one run of ffmpeg (default: half of the memory of the machine, divided by --jobs, within limits)',
    read: sizeFrom('--max-encode-memory', minEncodeMemoryBytes),
  },
  'encode-cpu-factor': {
    argument: '<number>',
    help: 'processor seconds for each second of media in 1080p, after which ffmpeg is ended',
    read: integerParser('--encode-cpu-factor', 1, 1_000_000),
    fallback: { value: 2000 },
  },
  'encode-threads': {
    argument: '<number>',
    help: 'processors that one run of ffmpeg may use (default: all)',
    read: integerParser('--encode-threads', 1, 1024),
  },
  nice: {
    argument: '<number>',
    help: 'added niceness of ffmpeg, 0 to 19',
    read: integerParser('--nice', 0, 19),
    fallback: { value: 10 },
  },
  'io-idle': {
    argument: null,
    help: 'let ffmpeg use the disk only when it is idle',
    read: switchParser('--io-idle'),
  },
  hours: {
    argument: '<hours>',
    help: 'start jobs only in these hours of the local time, such as "22:00-06:00, sat, sun" (default: always)',
    read: parseHours,
  },
  outside: {
    argument: '<what>',
    help: 'what running encodes do outside --hours: pause (they finish, and no other starts) or freeze (they stop)',
    read: choiceParser('--outside', ['pause', 'freeze']),
    fallback: { value: 'pause' },
  },
  'when-idle': {
    argument: '<cores>',
    help: 'start jobs only while other programs use at most so many processor cores, such as 1.5 (default: always)',
    read: coresParser,
  },
  'log-format': {
    argument: '<format>',
    help: 'text or json',
    read: choiceParser('--log-format', logFormats),
    fallback: { value: 'text' },
  },
  'keep-days': {
    argument: '<number>',
    help: 'remove jobs that ended more than this many days ago, with their hosted files (default: keep them)',
    read: integerParser('--keep-days', 1, 36_500),
  },
  'keep-jobs': {
    argument: '<number>',
    help: 'keep this many jobs that have ended, and remove the oldest of the others (default: keep all)',
    read: integerParser('--keep-jobs', 1, 1_000_000_000),
  },
} as const satisfies Readonly<Record<string, DaemonFlag>>;

/** The name of a flag in {@link daemonFlags}. */
export type DaemonFlagName = keyof typeof daemonFlags;

/** The name of a flag as a property: `max-outputs` becomes `maxOutputs`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Flags = typeof daemonFlags;
type FlagWithDefault = {
  [Name in DaemonFlagName]: Flags[Name] extends { readonly fallback: object } ? Name : never;
}[DaemonFlagName];

/** The values of the flags, by property. Those without a default may be absent. */
export type DaemonFlagValues = {
  readonly [Name in FlagWithDefault as CamelCase<Name>]: ReturnType<Flags[Name]['read']>;
} & {
  readonly [Name in Exclude<DaemonFlagName, FlagWithDefault> as CamelCase<Name>]?: ReturnType<
    Flags[Name]['read']
  >;
};

/** A parser of numbers that rejects 0. */
function positive(flag: string, read: (text: string) => number): (text: string) => number {
  return (text) => {
    const value = read(text);
    if (value > 0) return value;
    throw new VencError('UsageError', `${flag} must be more than 0.`);
  };
}

function sizeFrom(flag: string, minBytes: number): (text: string) => number {
  const read = byteSizeParser(flag);
  return (text) => {
    const bytes = read(text);
    if (bytes >= minBytes) return bytes;
    throw new VencError('UsageError', `${flag} must be at least ${formatBytes(minBytes)}.`);
  };
}

function coresParser(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text) && Number(text) <= 1024) return Number(text);
  throw new VencError('UsageError', `--when-idle takes a number of cores, such as 0.5 or 2, not "${text}".`);
}

function keepText(text: string): string {
  return text;
}

function headerName(text: string): string {
  if (/^[A-Za-z0-9-]+$/.test(text)) return text;
  throw new VencError('UsageError', `--ui-user-header takes the name of a header, not "${text}".`);
}

/** The networks of a list in CIDR notation, which may have single addresses, in the form that `BlockList` takes. */
function networks(text: string) {
  return text.split(',').map((item) => {
    const [address = '', length, ...more] = item.trim().split('/');
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
    if (version === 0 || !(prefix <= bits) || more.length > 0)
      throw new VencError(
        'UsageError',
        `--trust-proxy takes networks such as 10.0.0.0/8, not "${item.trim()}".`,
      );
    return { address, prefix, type: version === 6 ? 'ipv6' : 'ipv4' } as const;
  });
}

function absolutePath(text: string): string {
  if (text.startsWith('/')) return text;
  throw new VencError(
    'UsageError',
    '--sendmail takes the absolute path of a program, such as /usr/sbin/sendmail.',
  );
}

/** The daemon checks the rest of the URL. The message does not repeat it: it may contain a secret. */
function bucketUrl(text: string): string {
  if (/^s3(?:\+[a-z0-9-]+)?:\/\/[^/]/i.test(text)) return text;
  throw new VencError(
    'UsageError',
    '--hosted takes the URL of a folder in a bucket, such as s3://bucket/prefix.',
  );
}

function httpUrl(text: string): string {
  if (/^https?:/.test(text) && parseUrl(text) !== null) return text;
  throw new VencError(
    'UsageError',
    `--public-url takes a URL that begins with http:// or https://, not "${text}".`,
  );
}
