import type { Command } from 'commander';
import { VencError } from '../../api/errors.js';
import { exitCodes } from '../../api/exit-codes.js';
import type { Context } from '../context.js';
import { daemonLog, type LogFormat, logFormats } from '../daemon-log.js';
import { requireFolder } from '../files.js';
import type { Io } from '../io.js';
import { byteSize, gather, oneOf, timeSpan, wholeNumber } from '../words.js';

interface DaemonFlags {
  readonly host: string;
  readonly port: number;
  readonly jobs?: number;
  readonly filesRoot?: readonly string[];
  readonly allowPrivateNetwork?: boolean;
  readonly grace: number;
  readonly stallTimeout: number;
  readonly publicUrl?: string;
  readonly minFree?: number;
  readonly maxOutputs: number;
  readonly rateLimit?: number;
  readonly rebuildUsage?: boolean;
  readonly ffmpeg?: string;
  readonly ffprobe?: string;
  readonly logFormat: LogFormat;
}

/** `venc daemon`: the local service, in the foreground, until SIGTERM or Ctrl-C stops it in good order. */
export function define(command: Command, context: Context): void {
  command
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option(
      '--port <number>',
      'port to listen at; 0 picks a free one',
      wholeNumber('--port', 0, 65_535),
      8686,
    )
    .option('--jobs <number>', jobsHelp, wholeNumber('--jobs', 0, 1024))
    .option('--files-root <folder>', 'folder below which file: URLs may read and write; repeatable', gather)
    .option(
      '--allow-private-network',
      'let inputs come from addresses that are not public, and notifications go there',
    )
    .addOption(
      command
        .createOption('--grace <time>', 'time that running jobs get at a stop, such as 30s or 2m')
        .argParser(timeSpan('--grace'))
        .default(5, '5s'),
    )
    .addOption(
      command
        .createOption('--stall-timeout <time>', 'give a transfer up after this time without a byte')
        .argParser(timeSpan('--stall-timeout'))
        .default(30, '30s'),
    )
    .option('--public-url <url>', 'address under which clients reach this daemon', httpUrl)
    .option(
      '--min-free <size>',
      'take no jobs below this much free disk, such as 500MB',
      byteSize('--min-free'),
    )
    .option(
      '--max-outputs <number>',
      'outputs that a job may have',
      wholeNumber('--max-outputs', 1, 1000),
      50,
    )
    .option(
      '--rate-limit <number>',
      'requests a minute that one key may make (default: any number)',
      wholeNumber('--rate-limit', 1, 1_000_000),
    )
    .option('--rebuild-usage', "count the usage that reports tell anew, from every job's file")
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .option('--log-format <format>', 'text or json', oneOf('--log-format', logFormats), 'text')
    .addHelpText('after', details)
    .action(context.act((flags: DaemonFlags) => run(flags, context)));
}

const jobsHelp = 'jobs to encode at once; 0 takes jobs and starts none (default: one for every two cores)';
const details = `
Its address is the first line on stdout; its log goes to stderr. Ctrl-C stops it in good order, a second one at once.
VENC_API_KEY, where it is set, is taken as the key of its owner.
--rebuild-usage reads the file of every job once at this start, for when such files were changed by hand.

Examples:
  venc daemon
  venc daemon --port 0 --jobs 2 --files-root /srv/media`;

async function run(flags: DaemonFlags, context: Context) {
  const { io } = context;
  for (const folder of flags.filesRoot ?? []) await requireFolder(folder, '--files-root');
  const { startDaemon } = await import('../../../daemon/main.js');
  const programs = await context.programs(flags);
  const daemon = await startDaemon({
    ...programs,
    host: flags.host,
    port: flags.port,
    dataFolder: await context.dataFolder(),
    jobs: flags.jobs ?? null,
    filesRoots: flags.filesRoot ?? [],
    allowPrivateNetwork: flags.allowPrivateNetwork === true,
    graceSeconds: flags.grace,
    stallTimeoutSeconds: flags.stallTimeout,
    publicUrl: flags.publicUrl ?? null,
    minFreeBytes: flags.minFree ?? null,
    maxOutputs: flags.maxOutputs,
    rateLimit: flags.rateLimit ?? null,
    isUsageRebuilt: flags.rebuildUsage === true,
    apiKey: io.env.VENC_API_KEY === '' ? null : (io.env.VENC_API_KEY ?? null),
    log: daemonLog(flags.logFormat, io),
  });
  const stopped = stopOnSignal(io, () => daemon.stop());
  await io.out(`${daemon.url}\n`);
  await stopped;
  return exitCodes.done;
}

/** Resolves when the daemon has stopped. Each signal asks it to stop: the second ends its grace, the third does not wait for it. */
function stopOnSignal(io: Io, stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const onSignal = () => {
      count += 1;
      if (count > 2) io.leave(exitCodes.interrupted);
      stop().then(resolve, reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

function httpUrl(word: string): string {
  if (URL.canParse(word) && /^https?:/.test(word)) return word;
  throw new VencError('UsageError', '--public-url takes an address that begins with http:// or https://.');
}
