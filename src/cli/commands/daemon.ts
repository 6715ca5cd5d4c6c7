import type { Command } from 'commander';
import { type DaemonFlag, type DaemonFlagValues, daemonFlags } from '../../config/daemon-flags.js';
import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Context, ProgramFlags } from '../context.js';
import { requireFolder, requireProgram } from '../input/files.js';
import {
  addDaemonFlag,
  encodeLimitsOf,
  exitImmediately,
  readFlags,
  serviceLog,
  slotTimesOf,
  stopOnSignal,
} from '../terminal/service-process.js';

type DaemonFlags = DaemonFlagValues & ProgramFlags & { readonly rebuildUsage?: boolean };

/** `venc daemon`: runs the local service in the foreground until SIGTERM or Ctrl-C stops it gracefully. */
export function define(command: Command, context: Context): void {
  for (const [name, flag] of Object.entries<DaemonFlag>(daemonFlags)) addDaemonFlag(command, name, flag);
  command
    .option('--rebuild-usage', 'recount the usage for reports from the files of all jobs')
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(context.handler(() => run(command, context)));
}

const details = `
The first line on stdout is its URL; its log goes to stderr. Ctrl-C stops it gracefully, a second Ctrl-C skips
the time of --grace, a third exits immediately.
With --jobs 0 only workers encode (venc workers): the daemon accepts jobs and gives them to those that have joined.
VENC_API_KEY, if set, is the key of the owner. The configuration (venc config) sets the defaults of the flags.
With --database, several daemons share one PostgreSQL database, and each answers for every job. This needs Node.js 22.12 or newer. Put an
address with a password into VENC_DATABASE, where other users of the machine do not see it.
--rebuild-usage is for files of jobs that were changed by hand: it reads all of them at startup.

Examples:
  venc daemon
  venc daemon --port 0 --jobs 2 --files-root /srv/media
  venc daemon --max-encode-time 2h --max-output-size 20GB
  venc daemon --sandbox bwrap --max-encode-memory 2GB --encode-threads 2
  venc daemon --keep-days 90 --log-format json
  venc daemon --database postgres://venc@db/venc --hosted s3://media/venc
  venc daemon --hosted s3://media/venc
  venc daemon --output-dir /srv/encoded
  venc daemon --jobs 0`;

/** The flags about the page. Throws `UsageError` for a header that anybody could send. */
function pageOptionsOf({ uiHost, uiUserHeader, trustProxy }: DaemonFlags) {
  if (uiUserHeader !== undefined && trustProxy === undefined)
    throw new VencError('UsageError', '--ui-user-header needs --trust-proxy.', {
      hint: 'Name the addresses of the proxy that sets the header, such as --trust-proxy 127.0.0.1.',
    });
  return {
    hosts: uiHost ?? [],
    userHeader: uiUserHeader ?? null,
    trustedProxies: trustProxy ?? [],
  };
}

async function run(command: Command, context: Context) {
  const { io } = context;
  const flags = readFlags<DaemonFlags>(command, await context.config());
  for (const folder of flags.filesRoot ?? []) await requireFolder(folder, '--files-root');
  if (flags.outputDir !== undefined) await requireOutputFolder(flags.outputDir, flags.hosted);
  if (flags.sendmail !== undefined) await requireProgram(flags.sendmail, '--sendmail');
  // Only a flag on the command line takes precedence over VENC_DATABASE.
  const given = command.getOptionValueSource('database') === 'cli' ? flags.database : undefined;
  const database = given ?? (await context.database());
  if (database !== null) requireDatabaseSupport(flags);
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
    hosted: flags.hosted ?? null,
    hostedHours: flags.hostedHours,
    outputFolder: flags.outputDir ?? null,
    database,
    minFreeBytes: flags.minFree ?? null,
    maxOutputs: flags.maxOutputs,
    rateLimit: flags.rateLimit ?? null,
    page: flags.ui ? pageOptionsOf(flags) : null,
    sendmail: flags.sendmail ?? null,
    sandbox: flags.sandbox,
    encodeLimits: encodeLimitsOf(flags),
    isUsageRebuilt: flags.rebuildUsage === true,
    apiKey: io.env.VENC_API_KEY === '' ? null : (io.env.VENC_API_KEY ?? null),
    keepDays: flags.keepDays ?? null,
    keepJobs: flags.keepJobs ?? null,
    slotTimes: slotTimesOf(flags),
    isVerbose: io.isVerbose,
    log: serviceLog(flags.logFormat, io),
  });
  const stopped = stopOnSignal(io, () => daemon.stop());
  void daemon.lost.then((error) => exitImmediately(io, error));
  await io.writeStdout(`${daemon.url}\n`);
  await stopped;
  // The exporter of traces may still wait for a collector, and nothing ends that wait.
  return io.exit(exitCodes.done);
}

/** Rejects with `UsageError` if hosted outputs cannot be kept in a folder. */
async function requireOutputFolder(folder: string, hosted: string | undefined): Promise<void> {
  if (hosted !== undefined)
    throw new VencError(
      'UsageError',
      '--output-dir cannot be used with --hosted: the hosted outputs are in a bucket then.',
      { hint: 'leave out one of them; `venc config list` shows whether the configuration sets the other' },
    );
  await requireFolder(folder, '--output-dir');
}

/** The first version of Node.js in which the engine of the queue in a database runs. */
const databaseNode = [22, 12] as const;

/** Throws `UsageError` if this Node.js is too old for a daemon with a database, or a flag makes no sense with it. */
function requireDatabaseSupport(flags: DaemonFlags): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < databaseNode[0] || (major === databaseNode[0] && minor < databaseNode[1]))
    throw new VencError(
      'UsageError',
      `A daemon with a database needs Node.js ${databaseNode.join('.')} or newer; this is ${process.versions.node}.`,
      { hint: 'update Node.js, or start the daemon without --database and VENC_DATABASE' },
    );
  if (flags.rebuildUsage === true)
    throw new VencError(
      'UsageError',
      '--rebuild-usage reads the files of a data folder, and the jobs are in a database.',
      { hint: 'leave out --rebuild-usage: a database counts usage with each change of a job' },
    );
}
