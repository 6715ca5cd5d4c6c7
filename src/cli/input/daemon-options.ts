import type { Command } from 'commander';
import { type DaemonFlag, daemonFlags } from '../../config/daemon-flags.js';
import { collectValues } from './args.js';

/** The flags that limit each run of ffmpeg. */
export interface EncodeLimitFlags {
  readonly encodeStallTimeout: number;
  readonly maxEncodeTime?: number;
  readonly maxInputDuration?: number;
  readonly maxOutputSize?: number;
  readonly maxEncodeMemory?: number;
  readonly encodeCpuFactor: number;
  readonly encodeThreads?: number;
}

/** Adds a flag of `venc daemon` to a command. */
export function addDaemonFlag(command: Command, name: string, flag: DaemonFlag): void {
  const { argument, help, read, fallback, isRepeatable } = flag;
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

/** The limits of each run of ffmpeg, as the daemon and a worker take them. */
export function encodeLimitsOf(flags: EncodeLimitFlags) {
  return {
    stallSeconds: flags.encodeStallTimeout,
    maxEncodeSeconds: flags.maxEncodeTime ?? null,
    maxOutputBytes: flags.maxOutputSize ?? null,
    maxInputSeconds: flags.maxInputDuration ?? null,
    maxMemoryBytes: flags.maxEncodeMemory ?? null,
    cpuFactor: flags.encodeCpuFactor,
    threads: flags.encodeThreads ?? null,
  };
}
