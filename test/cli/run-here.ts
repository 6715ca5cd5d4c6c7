import { Readable } from 'node:stream';
import { complete } from '../../src/cli/completion/complete.js';
import { exitCodeOf, formatError } from '../../src/cli/output/error-text.js';
import { runProgram } from '../../src/cli/program.js';
import { createSymbolWriter, type Io } from '../../src/cli/terminal/io.js';
import { tempFolder } from '../helpers/temp.js';
import type { CliResult } from './run-cli.js';

const home = tempFolder();

/** Replaces the end of the process. */
class ExitSignal extends Error {
  constructor(readonly code: number) {
    super(`the program exited with ${code}`);
  }
}

/** Options of a run in this process in addition to its arguments. */
export interface InProcessOptions {
  readonly width?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The contents of stdin; the stdin of the test by default. */
  readonly stdin?: string | null;
}

/**
 * Runs the program in this process, for tests of many commands: a new process takes longer than most commands. `width` is the width
 * of the terminal; without it stdout is a pipe.
 */
export async function runInProcess(
  words: readonly string[],
  { width = Number.POSITIVE_INFINITY, env = {}, stdin = null }: InProcessOptions = {},
): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  const nowhere = { stdin: false, stdout: false, stderr: false };
  const io: Io = {
    // A text stream has every part of stdin that the commands use.
    stdin: () =>
      stdin === null ? process.stdin : (Readable.from([stdin]) as unknown as ReturnType<Io['stdin']>),
    readStdin: async () => stdin ?? '',
    stdout: process.stdout,
    stderr: process.stderr,
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, ...env },
    isTerminal: nowhere,
    colour: nowhere,
    canDraw: nowhere,
    toTerminalSymbols: createSymbolWriter(env),
    width,
    writeStdout: async (text) => {
      stdout += text;
    },
    writeStderr: (text) => {
      stderr += text;
    },
    writeInfo: (text) => {
      stderr += text;
    },
    ...{ isQuiet: false, isVerbose: false },
    exit: (code) => {
      throw new ExitSignal(code);
    },
  };
  const [first, ...others] = words;
  // As in main.
  const run = first === '__complete' ? complete(others, io).then(() => 0) : runProgram(words, io);
  const code = await run.catch((error: unknown) => {
    if (error instanceof ExitSignal) return error.code;
    io.writeStderr(formatError(error, false));
    return exitCodeOf(error);
  });
  return { code, signal: null, stdout, stderr };
}

/** What fish is offered behind these words: the word and, after a tab, its description, one per line. */
export async function completionsOf(
  typed: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const stdin = typed.map((word) => `${word}\0`).join('');
  const { code, stdout, stderr } = await runInProcess(['__complete', 'fish'], { env, stdin });
  if (code !== 0 || stderr !== '') throw new Error(`a completion ended with ${code}: ${stderr}`);
  return stdout.replace(/^.*\n/, '');
}
