import type { Command } from 'commander';
import { type CamelCase, type DaemonFlagValues, daemonFlags } from '../../config/daemon-flags.js';
import { VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { integerParser } from '../../shared/flag-parsers.js';
import { parseUrl } from '../../shared/text/url-text.js';
import type { Context, ProgramFlags } from '../context.js';
import { collectValues } from '../input/args.js';
import type { Io } from '../terminal/io.js';
import {
  addDaemonFlag,
  encodeLimitsOf,
  exitImmediately,
  readFlags,
  serviceLog,
  slotTimesOf,
  stopOnSignal,
} from '../terminal/service-process.js';

/** The flags of `venc daemon` that mean the same for a worker, in the order of its help. */
const commonFlags = [
  'allow-private-network',
  'stall-timeout',
  'sandbox',
  'encode-stall-timeout',
  'max-encode-time',
  'max-input-duration',
  'max-output-size',
  'max-encode-memory',
  'encode-cpu-factor',
  'encode-threads',
  'nice',
  'io-idle',
  'hours',
  'outside',
  'when-idle',
  'log-format',
] as const;

type WorkerFlags = ProgramFlags &
  Pick<DaemonFlagValues, 'grace' | 'jobs' | CamelCase<(typeof commonFlags)[number]>> & {
    readonly join?: string;
    readonly label?: readonly string[];
    readonly name?: string;
    readonly once?: boolean;
    readonly allowPlainHttp?: boolean;
  };

/** `venc worker`: encodes jobs of a daemon on another machine until SIGTERM or Ctrl-C stops it gracefully. */
export function define(command: Command, context: Context): void {
  command
    .option('--join <url>', 'URL of the daemon (required)')
    .option(
      '--jobs <number>',
      'jobs to encode concurrently (default: one per two cores)',
      integerParser('--jobs', 1, 1024),
    )
    .option('--label <label>', 'label that jobs may require, such as gpu; repeatable', collectValues)
    .option('--name <name>', 'name of this worker (default: the name of this machine)')
    .option('--once', 'run one job and exit')
    .option('--allow-plain-http', 'send the token over http: to another machine, without TLS');
  addDaemonFlag(command, 'grace', {
    ...daemonFlags.grace,
    help: 'time that running jobs get to finish when the worker stops, such as 30s or 2m',
  });
  for (const name of commonFlags) addDaemonFlag(command, name, daemonFlags[name]);
  command
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(context.handler(() => run(command, context)));
}

const details = `
The token is a worker key (venc keys create --worker, on the machine of the daemon). It is read from
VENC_WORKER_TOKEN or, without that, from the first line of stdin.
The first line on stdout says that the worker has joined; its log goes to stderr. Ctrl-C stops it gracefully: jobs that
do not end in the time of --grace go back to the daemon. A second Ctrl-C gives them back at once.
With --once, the exit code is 0 if the job finished, and 1 if it failed or was cancelled.
Inputs and outputs are transferred directly between this machine and their storage; what the daemon hosts goes through
the daemon. The worker works in the folder "worker" of its data folder (--data).

Examples:
  VENC_WORKER_TOKEN=... venc worker \\
    --join https://encode.example.com
  venc worker --join https://encode.example.com \\
    --label gpu --jobs 2 < token.txt
  venc worker --join http://127.0.0.1:8686 --once
  venc worker --join http://10.0.0.5:8686 --allow-plain-http \\
    --data /srv/worker2`;

async function run(command: Command, context: Context): Promise<ExitCode> {
  const { io } = context;
  const flags = readFlags<WorkerFlags>(command, await context.config());
  const url = daemonUrl(flags);
  const labels = (flags.label ?? []).map((label) => requireLabel('--label', label));
  const token = await readToken(io);
  const [{ join }, { availableParallelism, hostname }, { startWorker }] = await Promise.all([
    import('node:path'),
    import('node:os'),
    import('../../../daemon/worker/run-worker.js'),
  ]);
  const worker = await startWorker({
    ...(await context.programs(flags)),
    ...{ url, token, labels },
    name: flags.name === undefined ? nameOfMachine(hostname()) : requireLabel('--name', flags.name),
    // A configured 0 is for the daemon: a worker without jobs would do nothing.
    jobs: flags.jobs || Math.max(1, Math.floor(availableParallelism() / 2)),
    isOnce: flags.once === true,
    graceSeconds: flags.grace,
    folder: join(await context.dataFolder(), 'worker'),
    sandbox: flags.sandbox,
    encodeLimits: encodeLimitsOf(flags),
    allowPrivateNetwork: flags.allowPrivateNetwork === true,
    stallTimeoutSeconds: flags.stallTimeout,
    slotTimes: slotTimesOf(flags),
    isVerbose: io.isVerbose,
    log: serviceLog(flags.logFormat, io),
  });
  void worker.lost.then((error) => exitImmediately(io, error));
  const stopped = stopOnSignal(io, async () => {
    worker.stop();
    await worker.ended;
  });
  // The error is that of `ended`, which is awaited below.
  stopped.catch(() => {});
  await io.writeStdout(`${worker.name} has joined ${worker.daemonUrl}\n`);
  const outcome = await worker.ended;
  if (flags.once !== true || outcome === 'finished') return exitCodes.done;
  if (outcome === null || outcome === 'worker-released') return exitCodes.interrupted;
  return outcome === 'worker-lost' ? exitCodes.conflict : exitCodes.jobFailed;
}

/**
 * The URL of --join. Throws `UsageError` if it is invalid, or if the token would be sent to another machine without
 * TLS.
 */
function daemonUrl({ join, allowPlainHttp }: WorkerFlags): URL {
  if (join === undefined)
    throw new VencError(
      'UsageError',
      'Give the URL of the daemon with --join, such as https://encode.example.com.',
    );
  const url = parseUrl(join);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    const message = `--join takes the URL of a daemon, such as https://encode.example.com, not "${join}".`;
    throw new VencError('UsageError', message);
  }
  if (url.username !== '' || url.password !== '')
    throw new VencError(
      'UsageError',
      '--join takes a URL without a user: the token is in VENC_WORKER_TOKEN.',
    );
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || isLoopback || allowPlainHttp === true) return url;
  throw new VencError(
    'UsageError',
    `--join ${join} would send the token unencrypted over the network: use an https: URL, or give --allow-plain-http in a network that you trust.`,
  );
}

const labelPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The value of --label or --name. Throws `UsageError` if it is invalid. */
function requireLabel(flag: '--label' | '--name', value: string): string {
  if (labelPattern.test(value)) return value;
  throw new VencError(
    'UsageError',
    `${flag} takes up to 64 letters, digits, ".", "_" and "-", of which the first is a letter or a digit, not "${value}".`,
  );
}

/** The name of a machine in the form of --name. */
function nameOfMachine(hostname: string): string {
  const name = hostname.replace(/^[^A-Za-z0-9]+/, '').replace(/[^A-Za-z0-9._-]/g, '-');
  return name.slice(0, 64) || 'worker';
}

/** The token of the worker: `VENC_WORKER_TOKEN`, or the first line of stdin. Programs that are started never get it. */
async function readToken(io: Io): Promise<string> {
  const { VENC_WORKER_TOKEN: given = '' } = io.env;
  delete process.env.VENC_WORKER_TOKEN;
  const { readSecret } = await import('../input/read-secret.js');
  // A secret of Docker or Kubernetes that was created from a file ends with a line feed.
  const token = (given !== '' || io.isTerminal.stdin ? given : await readSecret(io, '')).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new VencError(
    'UsageError',
    token === ''
      ? 'There is no token: set VENC_WORKER_TOKEN, or write the token to stdin.'
      : 'The token contains spaces, control characters or characters outside ASCII.',
    { hint: 'Create one with "venc keys create --worker" on the machine of the daemon.' },
  );
}
