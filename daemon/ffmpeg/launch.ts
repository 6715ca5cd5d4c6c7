import { type ExecaError, execa } from 'execa';
import { childEnvironment } from '../../src/shared/util/child-environment.js';
import { findOnSearchPath } from './candidates.js';

/** How a program ended. */
export interface ExitResult {
  /** Null if a signal ended it or it did not start. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 8 KB of stderr. */
  readonly stderr: string;
  /** The system error code, such as `ENOENT`, if it could not be started; otherwise null. */
  readonly startFailure: string | null;
}

/** Options of one start of a program. */
interface LaunchOptions {
  /** The command to prepend, see `findParentDeathWrapper`. */
  readonly parentDeathWrapper: readonly string[];
  readonly folder?: string;
  /** Ends the program: SIGTERM, and SIGKILL a second later. */
  readonly signal: AbortSignal;
  /** Called with the process id in the same tick as the start. */
  readonly onStart?: (pid: number) => void;
  readonly onStdout: (text: string) => void;
  /** Called with all of stderr, of which the result has only the end. */
  readonly onStderr?: (text: string) => void;
}

const killAfterMs = 1000;
/**
 * A static build that converts a character set, such as that of names in a transport stream, loads a conversion module of the system's C
 * library and crashes. Without such a module it keeps the bytes unconverted.
 */
const environment = { GCONV_PATH: '/nonexistent' } as const;
const maxStderrCharacters = 8192;

/**
 * The command to prepend to another one so that the kernel kills it when this process ends: `setpriv --pdeathsig KILL`. Empty if that does
 * not work; it is tried, because busybox has a setpriv without the option. Without it, `ffmpeg -nostdin` continues after a kill -9 of its
 * parent, and it does not react to the end of stdin.
 */
export async function findParentDeathWrapper(searchPath: string): Promise<readonly string[]> {
  const [setpriv] = await findOnSearchPath('setpriv', searchPath);
  const [trueProgram] = await findOnSearchPath('true', searchPath);
  if (setpriv === undefined || trueProgram === undefined) return [];
  const parentDeathWrapper = [setpriv, '--pdeathsig', 'KILL', '--'];
  const { failed } = await execa(setpriv, [...parentDeathWrapper.slice(1), trueProgram], {
    env: childEnvironment(),
    extendEnv: false,
    stdio: 'ignore',
    reject: false,
  });
  return failed ? [] : parentDeathWrapper;
}

/** Starts a program without stdin and waits for its end. Never rejects: the result has the error. */
export async function launch(
  path: string,
  args: readonly string[],
  options: LaunchOptions,
): Promise<ExitResult> {
  const [command = path, ...commandArgs] = [...options.parentDeathWrapper, path, ...args];
  const stderrTail = new TextTail(maxStderrCharacters);
  const child = execa(command, commandArgs, {
    ...(options.folder === undefined ? {} : { cwd: options.folder }),
    env: childEnvironment(environment),
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    forceKillAfterDelay: killAfterMs,
    // Ctrl-C sends SIGINT to the terminal's process group. An encoder in that group would fail its job while the daemon still waits for
    // it, so encoders get their own process group. Only with the parent-death wrapper: execa does not end detached programs at exit.
    detached: options.parentDeathWrapper.length > 0,
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  child.stdout.setEncoding('utf8').on('data', options.onStdout);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail.add(text);
    options.onStderr?.(text);
  });
  const terminate = () => void child.kill('SIGTERM');
  options.signal.addEventListener('abort', terminate, { once: true });
  if (options.signal.aborted) terminate();
  const result = await child;
  options.signal.removeEventListener('abort', terminate);
  const { exitCode, signal } = result;
  const failure = result as Pick<ExecaError, 'code'>;
  return {
    exitCode: exitCode ?? null,
    signal: signal ?? null,
    stderr: stderrTail.text,
    startFailure: exitCode === undefined && signal === undefined ? (failure.code ?? 'unknown') : null,
  };
}

/** Keeps the end of a text of unlimited length, such as ffmpeg's messages about a damaged file. */
class TextTail {
  #text = '';

  constructor(private readonly limit: number) {}

  /** Appends a chunk and drops everything beyond the limit. */
  add(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-this.limit);
  }

  get text(): string {
    return this.#text;
  }
}
