import type { Command } from 'commander';
import {
  type DaemonFlag,
  daemonFlags,
  type logFormats,
  type sandboxModes,
} from '../../config/daemon-flags.js';
import type { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { logText } from '../../shared/text/log-text.js';
import { jsonText } from '../../shared/text/safe-text.js';
import type { LogSink } from '../../shared/util/log.js';
import type { Context } from '../context.js';
import { collectValues } from '../input/args.js';
import { requireFolder, requireProgram } from '../input/files.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import type { Io } from '../terminal/io.js';

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
  readonly sendmail?: string;
  readonly sandbox: (typeof sandboxModes)[number];
  readonly encodeStallTimeout: number;
  readonly maxEncodeTime?: number;
  readonly maxInputDuration?: number;
  readonly maxOutputSize?: number;
  readonly maxEncodeMemory?: number;
  readonly encodeCpuFactor: number;
  readonly encodeThreads?: number;
  readonly rebuildUsage?: boolean;
  readonly ffmpeg?: string;
  readonly ffprobe?: string;
  readonly logFormat: LogFormat;
  readonly keepDays?: number;
  readonly keepJobs?: number;
}

/** `venc daemon`: runs the local service in the foreground until SIGTERM or Ctrl-C stops it gracefully. */
export function define(command: Command, context: Context): void {
  for (const [name, flag] of Object.entries<DaemonFlag>(daemonFlags)) addFlag(command, name, flag);
  command
    .option('--rebuild-usage', 'recount the usage for reports from the files of all jobs')
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(context.handler((_, self: Command) => run(self, context)));
}

function addFlag(command: Command, name: string, flag: DaemonFlag): void {
  const { argument, help, read, fallback, isRepeatable } = flag;
  const option = command.createOption(argument === null ? `--${name}` : `--${name} ${argument}`, help);
  if (isRepeatable === true) option.argParser(collectValues);
  else if (argument !== null) option.argParser(read);
  if (fallback !== undefined) option.default(fallback.value, fallback.text);
  command.addOption(option);
  // Overrides the configuration for one run.
  if (argument === null) command.addOption(command.createOption(`--no-${name}`).hideHelp());
}

const details = `
The first line on stdout is its URL; its log goes to stderr. Ctrl-C stops it gracefully, a second Ctrl-C skips
the time of --grace, a third exits immediately.
VENC_API_KEY, if set, is the key of the owner. The configuration (venc config) sets the defaults of the flags.
--rebuild-usage reads the files of all jobs at startup, for files that were changed by hand.

Examples:
  venc daemon
  venc daemon --port 0 --jobs 2 --files-root /srv/media
  venc daemon --max-encode-time 2h --max-output-size 20GB
  venc daemon --sandbox bwrap --max-encode-memory 2GB --encode-threads 2
  venc daemon --keep-days 90 --log-format json`;

/** The flags as given, with configured values for the others. */
function flagsOf(command: Command, config: Readonly<Record<string, string | undefined>>): DaemonFlags {
  const known: Readonly<Record<string, DaemonFlag>> = daemonFlags;
  for (const option of command.options) {
    const name = option.long?.slice('--'.length) ?? '';
    const attribute = option.attributeName();
    const configured = known[name] === undefined ? undefined : config[name];
    if (configured === undefined || command.getOptionValueSource(attribute) === 'cli') continue;
    command.setOptionValueWithSource(attribute, known[name]?.read(configured), 'config');
  }
  return command.opts<DaemonFlags>();
}

async function run(command: Command, context: Context) {
  const { io } = context;
  const flags = flagsOf(command, await context.config());
  for (const folder of flags.filesRoot ?? []) await requireFolder(folder, '--files-root');
  if (flags.sendmail !== undefined) await requireProgram(flags.sendmail, '--sendmail');
  const { startDaemon } = await import('../../../daemon/app/start-daemon.js');
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
    sendmail: flags.sendmail ?? null,
    sandbox: flags.sandbox,
    encodeLimits: {
      stallSeconds: flags.encodeStallTimeout,
      maxEncodeSeconds: flags.maxEncodeTime ?? null,
      maxOutputBytes: flags.maxOutputSize ?? null,
      maxInputSeconds: flags.maxInputDuration ?? null,
      maxMemoryBytes: flags.maxEncodeMemory ?? null,
      cpuFactor: flags.encodeCpuFactor,
      threads: flags.encodeThreads ?? null,
    },
    isUsageRebuilt: flags.rebuildUsage === true,
    apiKey: io.env.VENC_API_KEY === '' ? null : (io.env.VENC_API_KEY ?? null),
    keepDays: flags.keepDays ?? null,
    keepJobs: flags.keepJobs ?? null,
    log: daemonLog(flags.logFormat, io),
  });
  const stopped = stopOnSignal(io, () => daemon.stop());
  void daemon.lost.then((error) => exitImmediately(io, error));
  await io.writeStdout(`${daemon.url}\n`);
  await stopped;
  // The exporter of traces may still wait for a collector, and nothing ends that wait.
  return io.exit(exitCodes.done);
}

/**
 * Exits without a graceful stop, which would write to a data folder that now belongs to another daemon. The encoders
 * end with the process.
 */
function exitImmediately(io: Io, error: VencError): void {
  io.writeStderr(formatError(error, false));
  io.exit(exitCodeOf(error));
}

/**
 * Resolves when the daemon has stopped. The first signal stops it gracefully, the second skips the grace period, the
 * third exits immediately.
 */
function stopOnSignal(io: Io, stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const onSignal = () => {
      count += 1;
      if (count > 2) io.exit(exitCodes.interrupted);
      stop().then(resolve, reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** A format of the log of the daemon. */
type LogFormat = (typeof logFormats)[number];

/** Writes the log of the daemon to stderr, as text or as one JSON object per line. */
function daemonLog(format: LogFormat, io: Io): LogSink {
  if (format === 'text') return (entry) => io.writeStderr(`${logText(entry)}\n`);
  return ({ time, level, message, jobId, outputId }) => {
    // Absent ids are left out of the text.
    io.writeStderr(`${jsonText({ time, level, message, job_id: jobId, output_id: outputId })}\n`);
  };
}
