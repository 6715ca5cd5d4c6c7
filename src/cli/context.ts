import type { Command } from 'commander';
import type { Client } from '../client/client.js';
import type { Config } from '../config/config.js';
import type { DaemonFlagValues } from '../config/daemon-flags.js';
import { VencError } from '../shared/errors.js';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { redact } from '../shared/redact.js';
import { safeText } from '../shared/text/safe-text.js';
import type { Io } from './terminal/io.js';

/** Flags that name the ffmpeg and ffprobe to use. */
export interface ProgramFlags {
  readonly ffmpeg?: string;
  readonly ffprobe?: string;
}

/** What every command uses in addition to its own options. */
export interface Context {
  readonly io: Io;
  /**
   * The action of a command: calls `run` with the arguments, the options and this context. The exit code that it resolves
   * to becomes that of the command; without one it is 0.
   */
  handler<Args extends unknown[], Options extends object>(
    run: (...given: [...Args, Options, Context]) => Promise<ExitCode> | Promise<void>,
  ): (...given: [...Args, Options, Command]) => Promise<void>;
  /** The configuration of the user. The first call prints warnings about the file, if there are any. */
  config(): Promise<Config>;
  /** The data folder: `--data`, else `VENC_DATA`, else the configured one, else the default of the user. */
  dataFolder(): Promise<string>;
  /**
   * The address of the database: `VENC_DATABASE`, else the configured one; null if everything is in the data folder.
   */
  database(): Promise<string | null>;
  /** The ffmpeg and ffprobe to use, and whether they run in a sandbox. */
  programs(flags: ProgramFlags): Promise<Programs>;
  /**
   * A client of the service that `--target`, the environment, the configuration or the data folder names, in this
   * order.
   */
  client(): Promise<Client>;
}

/** The programs named by flags, environment or configuration; null for one that has to be searched for. */
interface Programs {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  /** `sandbox` of the configuration. */
  readonly sandbox: DaemonFlagValues['sandbox'];
}

/** A command, as its file exports it: `define` adds its arguments, options and handler. */
export interface CommandModule {
  define(command: Command, context: Context): void;
}

/** A context, and the exit code of the command that ran in it. */
interface OpenContext extends Context {
  exitCode(): ExitCode;
}

/** Flags of every command. */
export interface GlobalFlags {
  readonly data?: string;
  readonly target?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Creates the context of a command. `globals` returns the parsed flags that every command has. */
export function createContext(ownIo: Io, globals: () => GlobalFlags): OpenContext {
  const io = withVerbosity(ownIo, globals);
  let code: ExitCode = exitCodes.done;
  let loadingConfig: Promise<Config> | null = null;

  const config = () => {
    loadingConfig ??= (async () => {
      const { readConfig } = await import('../config/config.js');
      const { config: found, warnings } = await readConfig(io.env);
      for (const warning of warnings) io.writeStderr(`venc: warning: ${safeText(warning)}\n`);
      return found;
    })();
    return loadingConfig;
  };

  const dataFolder = async () => {
    const { resolve } = await import('node:path');
    const { userFolders } = await import('../config/folders.js');
    const { data } = globals();
    // Commands reject empty flags before they run, but completions run while the flag is still being typed.
    if (data === '') throw new VencError('UsageError', '--data needs the name of a folder.');
    const given = data ?? nonEmpty(io.env.VENC_DATA) ?? (await config()).data;
    return given === undefined ? userFolders(io.env).data : resolve(given);
  };

  /** `--target`, `VENC_TARGET`, `VENC_URL`, the configured target, the configured address, else the local daemon. */
  const target = async () => {
    const { resolveTarget } = await import('../client/target.js');
    const given = globals().target ?? nonEmpty(io.env.VENC_TARGET);
    const address = nonEmpty(io.env.VENC_URL);
    const configured = given === undefined && address === undefined ? await config() : {};
    const name = given ?? configured.target;
    if (name !== undefined) {
      const { findTarget } = await import('../config/targets.js');
      const found = await findTarget(io.env, name);
      if (found !== null) return found;
    }
    return resolveTarget({
      url: name === undefined ? (address ?? configured.url ?? null) : null,
      isConfigured: address === undefined,
      apiKey: nonEmpty(io.env.VENC_API_KEY) ?? null,
      dataFolder: await dataFolder(),
    });
  };

  const context: OpenContext = {
    io,
    config,
    dataFolder,
    database: async () => nonEmpty(io.env.VENC_DATABASE) ?? (await config()).database ?? null,
    handler:
      <Args extends unknown[], Options extends object>(
        run: (...given: [...Args, Options, Context]) => Promise<ExitCode> | Promise<void>,
      ) =>
      async (...given: [...Args, Options, Command]) => {
        // Only the last one is another: Commander passes the command.
        const args: readonly unknown[] = [...given.slice(0, -1), context];
        code = (await run(...(args as [...Args, Options, Context]))) ?? exitCodes.done;
      },
    programs: async (flags) => {
      const configured = await config();
      const { sandbox } = configured;
      return {
        ffmpeg: flags.ffmpeg ?? nonEmpty(io.env.VENC_FFMPEG) ?? configured.ffmpeg ?? null,
        ffprobe: flags.ffprobe ?? nonEmpty(io.env.VENC_FFPROBE) ?? configured.ffprobe ?? null,
        sandbox: sandbox === 'bwrap' || sandbox === 'none' ? sandbox : 'auto',
      };
    },
    client: async () => {
      const { createClient } = await import('../client/client.js');
      return createClient(await target(), io.isVerbose ? requestLines(io) : undefined);
    },
    exitCode: () => code,
  };
  return context;
}

/** An `Io` that follows `-q` and `-v`, which are parsed later. Spreading the other one would open its streams. */
function withVerbosity(io: Io, globals: () => GlobalFlags): Io {
  const verbosity: Pick<Io, 'writeInfo' | 'isQuiet' | 'isVerbose'> = {
    writeInfo: (text) => (globals().quiet === true ? undefined : io.writeInfo(text)),
    get isQuiet() {
      return globals().quiet === true;
    },
    get isVerbose() {
      return globals().verbose === true;
    },
  };
  const members = [io, verbosity].map((one) => Object.getOwnPropertyDescriptors(one));
  return Object.defineProperties({}, Object.assign({}, ...members)) as Io;
}

/** Prints a line for each request to a service and for its end, without secrets. */
function requestLines(io: Pick<Io, 'writeStderr'>): (line: string) => void {
  return (line) => io.writeStderr(`venc: ${safeText(redact(line))}\n`);
}

/** Treats an empty environment variable as not set. */
function nonEmpty(variable: string | undefined): string | undefined {
  return variable === undefined || variable === '' ? undefined : variable;
}
