import { type ExecaError, execa } from 'execa';
import { childEnvironment } from '../../src/shared/util/child-environment.js';
import { findOnSearchPath } from './candidates.js';

/** How a program came to its end. */
export interface ExitResult {
  /** Null where a signal ended it or it never started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 8 KB of what it said on stderr. */
  readonly stderr: string;
  /** The system's word, such as `ENOENT`, where it could not be started; null where it was. */
  readonly startFailure: string | null;
}

/** What goes with one start of a program. */
interface LaunchOptions {
  /** Arguments in front of the command: the parent-death wrapper, see `findParentDeathWrapper`. */
  readonly parentDeathWrapper: readonly string[];
  readonly folder?: string;
  /** Ends the program when it is aborted: SIGTERM, and SIGKILL a second later. */
  readonly signal: AbortSignal;
  /** Called in the same tick as the start, with the program's process id. */
  readonly onStart?: (pid: number) => void;
  readonly onStdout: (text: string) => void;
}

const killAfterMs = 1000;
/**
 * A static build that asks the C library for a character set, as it does for the names in a transport stream, loads a
 * module of the machine's own library and crashes on it; where there is no such module, it takes the bytes as they are.
 */
const environment = { GCONV_PATH: '/nonexistent' } as const;
const maxStderrCharacters = 8192;

/**
 * The command to put in front of another one so that the kernel ends that with this process, however this one
 * ends: `setpriv --pdeathsig KILL`. Empty where there is none (busybox has a setpriv that lacks the option, so it is tried).
 * `ffmpeg -nostdin` runs on after a kill -9 of its parent, and an end of stdin is nothing it listens to.
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

/** Starts a program without stdin and waits for its end. Never rejects; the ending tells what happened. */
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
    // Ctrl-C goes to everything in the terminal's group, and an encoder of that group would fail its job while the daemon still
    // gives it time. In a process group of its own it receives none. Only with the parent-death wrapper: execa ends no detached program when this one exits.
    detached: options.parentDeathWrapper.length > 0,
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  child.stdout.setEncoding('utf8').on('data', options.onStdout);
  child.stderr.setEncoding('utf8').on('data', (text: string) => stderrTail.add(text));
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

/** The end of a text that may be endless, such as what ffmpeg says about a damaged file. */
class TextTail {
  #text = '';

  constructor(private readonly limit: number) {}

  /** Adds to the text and drops what is too far from its end. */
  add(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-this.limit);
  }

  get text(): string {
    return this.#text;
  }
}
