import { once } from 'node:events';
import { fstatSync, readSync, writeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Environment } from '../../config/folders.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { systemCode } from '../../shared/util/system-code.js';

/** The inputs and outputs of a command. Commands receive them, so that they do not depend on the process. */
export interface Io {
  /** A function, because opening it takes 2 % of the time of a short command. */
  readonly stdin: () => NodeJS.ReadStream;
  /** Reads all of stdin as text. Blocks the process meanwhile. */
  readStdin(): Promise<string>;
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
 * ignored. Node's streams take 4 ms to load: they are opened when needed, and pipes and files are written without them.
 */
export function createIo(streams: ProcessStreams, hasColour: boolean, exit: Io['exit']): Io {
  const { env } = streams;
  let stdout: NodeJS.WriteStream | null = null;
  let stderr: NodeJS.WriteStream | null = null;
  const fail = (error: unknown): never => {
    const isBrokenPipe = systemCode(error) === 'EPIPE';
    const message = error instanceof Error ? error.message : String(error);
    if (!isBrokenPipe) openStderr().write(`venc: The output could not be written: ${message}\n`);
    return exit(isBrokenPipe ? exitCodes.done : exitCodes.jobFailed);
  };
  const openStdout = () => {
    stdout ??= streams.stdout.on('error', fail);
    return stdout;
  };
  const openStderr = () => {
    stderr ??= streams.stderr.on('error', () => {});
    return stderr;
  };
  const isPlain = isDumb(env) || isSet(env.CI);
  const isColoured = hasColour && !isPlain && !isSet(env.NO_COLOR);
  const isOwn = Object.is(streams, process);
  const isTerminal = {
    get stdin() {
      return streams.stdin.isTTY === true;
    },
    stdout: (!isOwn || mayBeTerminal(1)) && openStdout().isTTY === true,
    stderr: (!isOwn || mayBeTerminal(2)) && openStderr().isTTY === true,
  };
  return {
    stdin: () => streams.stdin,
    async readStdin() {
      const chunks: Buffer[] = [];
      const isAll = isOwn && readDirectly(chunks);
      const rest = isAll ? [] : [await buffer(streams.stdin)];
      return Buffer.concat([...chunks, ...rest]).toString();
    },
    get stdout() {
      return openStdout();
    },
    get stderr() {
      return openStderr();
    },
    env,
    isTerminal,
    colour: { stdout: isColoured && isTerminal.stdout, stderr: isColoured && isTerminal.stderr },
    canDraw: { stdout: !isPlain && isTerminal.stdout, stderr: !isPlain && isTerminal.stderr },
    toTerminalSymbols: createSymbolWriter(env),
    // Serial lines and some containers report a terminal width of 0.
    width: isTerminal.stdout ? openStdout().columns || 80 : widthOf(env),
    async writeStdout(output) {
      const rest = isOwn && stdout === null ? writeDirectly(output, fail) : output;
      if (rest.length > 0 && !openStdout().write(rest)) await once(openStdout(), 'drain');
    },
    writeStderr: (text) => void openStderr().write(text),
    writeInfo: (text) => void openStderr().write(text),
    ...{ isQuiet: false, isVerbose: false },
    exit,
  };
}

/** Whether a descriptor may be a terminal: a pipe, a file or a socket is none. */
export function mayBeTerminal(descriptor: 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Reads stdin without Node's stream for it. Returns whether that was all of it. */
function readDirectly(chunks: Buffer[]): boolean {
  try {
    for (;;) {
      const chunk = Buffer.alloc(1 << 16);
      const bytes = readSync(0, chunk);
      if (bytes === 0) return true;
      chunks.push(chunk.subarray(0, bytes));
    }
  } catch {
    return false;
  }
}

/** Writes to stdout, which is a pipe or a file. Returns what it does not take now. */
function writeDirectly(text: string, fail: (error: unknown) => never): Buffer {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if (systemCode(error) !== 'EAGAIN') fail(error);
  }
  return rest;
}

/** Whether the terminal is dumb. An unset TERM counts as dumb, except on Windows, where it is never set. */
function isDumb({ TERM }: Environment): boolean {
  return TERM === 'dumb' || (!isSet(TERM) && process.platform !== 'win32');
}

/** The width of tables in a pipe or a file. */
function widthOf(env: Environment): number {
  const reportedWidth = Number(env.COLUMNS);
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
