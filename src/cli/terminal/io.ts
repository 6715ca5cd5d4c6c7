import type { Environment } from '../../config/folders.js';
import { exitCodes } from '../../shared/exit-codes.js';

/** The inputs and outputs of a command. Commands receive them, so that they do not depend on the process. */
export interface Io {
  /** A function, because opening it takes 2 % of the time of a short command. */
  readonly stdin: () => NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
  /** Whether each stream is a terminal. */
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Whether each output is coloured. */
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether each output can be redrawn: a terminal that is neither dumb nor that of a CI job. */
  readonly canDraw: { readonly stdout: boolean; readonly stderr: boolean };
  /** Converts symbols (bars, lines, `…`) to ones that the locale can show. */
  toTerminalSymbols(text: string): string;
  /** The width of tables; Infinity in a pipe, where nothing is cut off. */
  readonly width: number;
  /** Writes to stdout. Resolves when more can be written. */
  writeStdout(text: string): Promise<void>;
  /** Writes to stderr: warnings and errors. */
  writeStderr(text: string): void;
  /** Writes information to stderr, unless the command is quiet. */
  writeInfo(text: string): void;
  /** Whether progress and information are hidden (`-q`). */
  readonly isQuiet: boolean;
  /** Whether requests and command lines are printed to stderr (`-v`). */
  readonly isVerbose: boolean;
  /** Ends the process immediately. */
  exit(code: number): never;
}

/** The parts of `process` that an `Io` uses. */
interface ProcessStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
}

/**
 * Creates the `Io` of a process. It is neither quiet nor verbose: the flags are parsed later. The process exits with 0
 * when the reader of stdout closes the pipe (`venc list | head -1`), because that is not an error. A closed stderr is
 * ignored.
 */
export function createIo(streams: ProcessStreams, hasColour: boolean, exit: Io['exit']): Io {
  const { stdout, stderr, env } = streams;
  stdout.on('error', (error) => {
    const isBrokenPipe = 'code' in error && error.code === 'EPIPE';
    if (!isBrokenPipe) stderr.write(`venc: The output could not be written: ${error.message}\n`);
    exit(isBrokenPipe ? exitCodes.done : exitCodes.jobFailed);
  });
  stderr.on('error', () => {});
  const isPlain = isDumb(env) || isSet(env.CI);
  const isColoured = hasColour && !isPlain && !isSet(env.NO_COLOR);
  const isTerminal = {
    get stdin() {
      return streams.stdin.isTTY === true;
    },
    stdout: stdout.isTTY === true,
    stderr: stderr.isTTY === true,
  };
  return {
    stdin: () => streams.stdin,
    stdout,
    stderr,
    env,
    isTerminal,
    colour: { stdout: isColoured && isTerminal.stdout, stderr: isColoured && isTerminal.stderr },
    canDraw: { stdout: !isPlain && isTerminal.stdout, stderr: !isPlain && isTerminal.stderr },
    toTerminalSymbols: createSymbolWriter(env),
    width: widthOf(stdout, env),
    writeStdout: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve();
        else stdout.once('drain', resolve);
      }),
    writeStderr: (text) => void stderr.write(text),
    writeInfo: (text) => void stderr.write(text),
    ...{ isQuiet: false, isVerbose: false },
    exit,
  };
}

/** Whether the terminal is dumb. An unset TERM counts as dumb, except on Windows, where it is never set. */
function isDumb({ TERM }: Environment): boolean {
  return TERM === 'dumb' || (!isSet(TERM) && process.platform !== 'win32');
}

function widthOf(stdout: NodeJS.WriteStream, env: Environment): number {
  const reportedWidth = Number(env.COLUMNS);
  // Serial lines and some containers report a terminal width of 0.
  if (stdout.isTTY === true) return stdout.columns > 0 ? stdout.columns : 80;
  return Number.isInteger(reportedWidth) && reportedWidth > 0 ? reportedWidth : Number.POSITIVE_INFINITY;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '';
}

/** Returns symbols (bars, lines, `…`) unchanged, or in ASCII if the locale is not UTF-8. */
export function createSymbolWriter(env: Environment): (text: string) => string {
  return isUtf8Locale(env) ? (text) => text : toAscii;
}

/**
 * Whether the locale is UTF-8. As in POSIX, the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set decides. If none
 * is set, UTF-8 is assumed: Windows, containers and cron do not set them, and current terminals support UTF-8.
 */
function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const name = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '');
  return name === undefined || /utf-?8/i.test(name);
}

/** The symbols that venc draws, each with its closest ASCII character; each takes one column. */
const replacements: Readonly<Record<string, string>> = {
  '█': '#',
  // The scores of a video over time, from low to high.
  '▁': '_',
  '▂': '.',
  '▃': ':',
  '▄': '-',
  '▅': '=',
  '▆': '+',
  '▇': '*',
  '▉': '#',
  '▊': '#',
  '▋': '#',
  '▌': '#',
  '▍': '-',
  '▎': '-',
  '▏': '-',
  '░': '-',
  '│': '|',
  '├': '|',
  '└': '`',
  '─': '-',
  '›': '>',
  '·': '-',
  '…': '~',
  // The arrow keys are shown as the letter keys with the same function.
  '↑': 'k',
  '↓': 'j',
};

const marks = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');

/**
 * Replaces the symbols that venc draws with ASCII, for terminals whose locale does not support them. The width does
 * not change. Other non-ASCII characters, such as those in names, are kept.
 */
export function toAscii(text: string): string {
  return text.replace(marks, (mark) => replacements[mark] ?? mark);
}
