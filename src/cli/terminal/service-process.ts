import type { Command } from 'commander';
import { type DaemonFlag, type DaemonFlagValues, daemonFlags } from '../../config/daemon-flags.js';
import type { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { jsonText, logText } from '../../shared/text/safe-text.js';
import type { LogSink } from '../../shared/util/log.js';
import { collectValues } from '../input/args.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import type { Io } from './io.js';

/**
 * Exits without a graceful stop, which would write to a folder that now belongs to another process. The encoders end
 * with the process.
 */
export function exitImmediately(io: Io, error: VencError): void {
  io.writeStderr(formatError(error, false));
  io.exit(exitCodeOf(error));
}

/**
 * Resolves when a daemon or worker has stopped after a signal. The first signal stops it gracefully, the second skips
 * the grace period, the third exits immediately.
 */
export function stopOnSignal(io: Io, stop: () => Promise<void>): Promise<void> {
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

/** Writes a log to stderr, as text or as one JSON object per line. */
export function serviceLog(format: DaemonFlagValues['logFormat'], io: Io): LogSink {
  if (format === 'text') return (entry) => io.writeStderr(`${logText(entry)}\n`);
  return ({ time, level, message, jobId, outputId }) => {
    // Absent ids are left out of the text.
    io.writeStderr(`${jsonText({ time, level, message, job_id: jobId, output_id: outputId })}\n`);
  };
}

/** Adds a flag of `venc daemon` to a command. */
export function addDaemonFlag(command: Command, name: string, flag: DaemonFlag): void {
  const { argument, help, read, fallback, isRepeatable, isOnByDefault } = flag;
  if (isOnByDefault === true) {
    command.addOption(command.createOption(`--no-${name}`, help));
    command.addOption(command.createOption(`--${name}`).hideHelp());
    return;
  }
  const option = command.createOption(argument === null ? `--${name}` : `--${name} ${argument}`, help);
  if (isRepeatable === true) option.argParser(collectValues);
  else if (argument !== null) option.argParser(read);
  if (fallback !== undefined) option.default(fallback.value, fallback.text);
  command.addOption(option);
  // Overrides the configuration for one run.
  if (argument === null) command.addOption(command.createOption(`--no-${name}`).hideHelp());
}

/** The flags as given, with configured values for those of `venc daemon` that are not given. */
export function readFlags<Flags extends object>(
  command: Command,
  config: Readonly<Record<string, string | undefined>>,
): Flags {
  const known: Readonly<Record<string, DaemonFlag>> = daemonFlags;
  for (const option of command.options) {
    const name = option.long?.slice('--'.length) ?? '';
    const attribute = option.attributeName();
    const configured = known[name] === undefined ? undefined : config[name];
    if (configured === undefined || command.getOptionValueSource(attribute) === 'cli') continue;
    command.setOptionValueWithSource(attribute, known[name]?.read(configured), 'config');
  }
  return command.opts<Flags>();
}

/** When the machine takes jobs, as the daemon and a worker take it. */
export function slotTimesOf(flags: Pick<DaemonFlagValues, 'hours' | 'outside' | 'whenIdle'>) {
  return {
    ...(flags.hours === undefined ? {} : { hours: flags.hours }),
    freezesOutside: flags.outside === 'freeze',
    ...(flags.whenIdle === undefined ? {} : { maxLoad: flags.whenIdle }),
  };
}

/** The limits of each run of ffmpeg, as the daemon and a worker take them. */
export function encodeLimitsOf(
  flags: Pick<
    DaemonFlagValues,
    | 'encodeStallTimeout'
    | 'maxEncodeTime'
    | 'maxOutputSize'
    | 'maxInputDuration'
    | 'maxEncodeMemory'
    | 'encodeCpuFactor'
    | 'encodeThreads'
    | 'nice'
    | 'ioIdle'
  >,
) {
  return {
    stallSeconds: flags.encodeStallTimeout,
    maxEncodeSeconds: flags.maxEncodeTime ?? null,
    maxOutputBytes: flags.maxOutputSize ?? null,
    maxInputSeconds: flags.maxInputDuration ?? null,
    maxMemoryBytes: flags.maxEncodeMemory ?? null,
    cpuFactor: flags.encodeCpuFactor,
    threads: flags.encodeThreads ?? null,
    nice: flags.nice,
    isIoIdle: flags.ioIdle === true,
  };
}
