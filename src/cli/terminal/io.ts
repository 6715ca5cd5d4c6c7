import type { Environment } from '../../config/folders.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { toAscii } from '../../shared/text/to-ascii.js';

/** What a command may read from and write to. Handed in, so that commands know no process. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
  /** Whether a person sits at each end. */
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Whether colour is wanted, at each of the two outputs. */
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether lines may move: a terminal that is neither dumb nor a build machine's. */
  readonly canDraw: { readonly stdout: boolean; readonly stderr: boolean };
  /** A text for people with our own marks (bars, lines, `…`) as the locale can show them. */
  toTerminalSymbols(text: string): string;
  /** Columns that a table may take; Infinity in a pipe, where nothing is cut. */
  readonly width: number;
  /** Writes the answer. Resolves when it is safe to go on writing. */
  writeStdout(text: string): Promise<void>;
  /** Writes a message. */
  writeStderr(text: string): void;
  /** Ends the program at once. */
  exit(code: number): never;
}

/** The parts of `process` that an io is made of. */
export interface ProcessStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
}

/**
 * The io of a process. The program is left when the reader of stdout has gone (`venc list | head -1`): nobody is
 * left to answer, and that is no error. A closed stderr only loses the remarks.
 */
export function createIo(streams: ProcessStreams, hasColour: boolean, exit: Io['exit']): Io {
  const { stdin, stdout, stderr, env } = streams;
  stdout.on('error', (error) => {
    const isBrokenPipe = 'code' in error && error.code === 'EPIPE';
    if (!isBrokenPipe) stderr.write(`venc: The answer could not be written: ${error.message}\n`);
    exit(isBrokenPipe ? exitCodes.done : exitCodes.jobFailed);
  });
  stderr.on('error', () => {});
  const isPlain = isDumb(env) || isSet(env.CI);
  const isColoured = hasColour && !isPlain && !isSet(env.NO_COLOR);
  const isTerminal = {
    stdin: stdin.isTTY === true,
    stdout: stdout.isTTY === true,
    stderr: stderr.isTTY === true,
  };
  return {
    stdin,
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
    exit,
  };
}

/** A terminal that nobody has named can do no more than one that is called dumb, but on Windows, where none has a name. */
function isDumb({ TERM }: Environment): boolean {
  return TERM === 'dumb' || (!isSet(TERM) && process.platform !== 'win32');
}

function widthOf(stdout: NodeJS.WriteStream, env: Environment): number {
  const reportedWidth = Number(env.COLUMNS);
  // Serial lines and some containers have terminals that say they are 0 wide.
  if (stdout.isTTY === true) return stdout.columns > 0 ? stdout.columns : 80;
  return Number.isInteger(reportedWidth) && reportedWidth > 0 ? reportedWidth : Number.POSITIVE_INFINITY;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '';
}

/** Writes symbols (bars, lines, `…`) unchanged, or in ASCII if the locale is not UTF-8. */
export function createSymbolWriter(env: Environment): (text: string) => string {
  return isUtf8Locale(env) ? (text) => text : toAscii;
}

/**
 * Whether the locale is one of UTF-8. The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set decides, as in POSIX. Where none is, it is
 * taken to be: on Windows, in containers and under cron nobody sets them, and the terminals of today know UTF-8.
 */
function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const name = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '');
  return name === undefined || /utf-?8/i.test(name);
}
