import { constants } from 'node:os';
import { type ExecaError, execa } from 'execa';
import { childEnvironment } from '../../src/shared/util/environment.js';
import { inScope } from '../../src/shared/util/error-scope.js';
import { currentFreezer } from '../../src/shared/util/freezer.js';
import { type Containment, containmentCommand } from './containment/find-containment.js';
import type { ProgramLimits } from './containment/program-limits.js';
import { inheritedFiles, type ProgramAccess } from './containment/sandbox.js';
import type { MeasuredRun, UsageMeter } from './containment/usage-meter.js';

/** How a program ended. */
export interface ExitResult {
  /** Null if a signal ended it or it did not start. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 8 KB of stderr. */
  readonly stderr: string;
  /** The system error code, such as `ENOENT`, if it could not be started; otherwise null. */
  readonly startFailure: string | null;
  /** What it used; null if it did not start. */
  readonly usage: MeasuredRun | null;
}

/** How programs are contained and measured. */
export interface LaunchSettings {
  readonly containment: Containment;
  readonly meter: UsageMeter;
}

/** Options of one start of a program. */
interface LaunchOptions extends LaunchSettings {
  readonly program: 'ffmpeg' | 'ffprobe';
  readonly limits: ProgramLimits;
  readonly access: ProgramAccess;
  /** Ends the program and what it started: SIGTERM, and SIGKILL a second later; SIGKILL at once in a sandbox. */
  readonly signal: AbortSignal;
  /** Called with the process id in the same tick as the start. */
  readonly onStart?: (pid: number) => void;
  readonly onStdout: (text: string) => void;
  /** Called with all of stderr, of which the result has only the end. */
  readonly onStderr?: (text: string) => void;
}

const killAfterMs = 1000;
/** A program that has printed nothing runs after this time. */
const quietStartMs = 5000;
/**
 * A static build that converts a character set, such as that of names in a transport stream, loads a conversion module
 * of the system's C library and crashes. Without such a module it keeps the bytes unconverted.
 */
const environment = { GCONV_PATH: '/nonexistent' } as const;
/** How much of the end of stderr is kept. */
export const maxStderrCharacters = 8192;

/** Starts a program without stdin and waits for its end. Never rejects: the result has the error. */
export async function launch(
  path: string,
  args: readonly string[],
  options: LaunchOptions,
): Promise<ExitResult> {
  const { containment, meter, limits, access } = options;
  const contained = containmentCommand(containment, { program: path, limits, access });
  const [command = path, ...commandArgs] = [...contained, path, ...args];
  const stderrTail = new TextTail(maxStderrCharacters);
  // Ctrl-C sends SIGINT to the terminal's process group. An encoder in that group would fail its job while the daemon
  // still waits for it, so encoders get their own process group. Only with the parent-death wrapper: execa does not end
  // detached programs at exit.
  const hasOwnGroup = containment.setpriv.length > 0;
  const child = execa(command, commandArgs, {
    ...(access.folder === null ? {} : { cwd: access.folder }),
    env: childEnvironment(environment),
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', ...inheritedBy(inheritedFiles(access))],
    buffer: false,
    reject: false,
    detached: hasOwnGroup,
  });
  const { pid } = child;
  const send = (signal: NodeJS.Signals) => {
    if (!hasOwnGroup || pid === undefined) child.kill(signal);
    else if (child.exitCode === null && child.signalCode === null) killGroup(pid, signal);
  };
  const freezer = currentFreezer();
  const frozen = freezer.add(send);
  const running = pid === undefined ? null : meter.start(options.program, pid);
  if (pid !== undefined) options.onStart?.(pid);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    running?.sample();
    frozen.markReady();
    options.onStdout(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    running?.sample();
    frozen.markReady();
    stderrTail.add(text);
    options.onStderr?.(text);
  });
  const readyTimer = setTimeout(frozen.markReady, quietStartMs);
  let usage: MeasuredRun | null = null;
  child.once('exit', () => {
    usage = running?.end() ?? null;
  });
  let killTimer: NodeJS.Timeout | undefined;
  const terminate = () => {
    // SIGTERM would end only bubblewrap, and with it the program at once. In the moment of the start, the program would
    // remain.
    if (containment.bwrap !== null) return send('SIGKILL');
    send('SIGTERM');
    // One that is stopped handles no signal but SIGKILL.
    if (freezer.isFrozen) send('SIGCONT');
    killTimer = setTimeout(
      inScope(() => send('SIGKILL')),
      killAfterMs,
    );
  };
  options.signal.addEventListener('abort', terminate, { once: true });
  if (options.signal.aborted) terminate();
  const result = await child;
  clearTimeout(killTimer);
  clearTimeout(readyTimer);
  frozen.remove();
  options.signal.removeEventListener('abort', terminate);
  const failure = result as Pick<ExecaError, 'code'>;
  const { exitCode, signal } = result;
  return {
    ...endOf({ exitCode: exitCode ?? null, signal: signal ?? null }, containment.bwrap !== null),
    stderr: stderrTail.text,
    startFailure: exitCode === undefined && signal === undefined ? (failure.code ?? 'unknown') : null,
    usage,
  };
}

/** The descriptors of a program from 3 on, which inherits open files of this process under their own numbers. */
function inheritedBy(descriptors: readonly number[]): readonly ('ignore' | 3)[] {
  const count = Math.max(2, ...descriptors) - 2;
  // Execa passes on any number; its types end at 9.
  return Array.from({ length: count }, (_, index) =>
    descriptors.includes(index + 3) ? ((index + 3) as 3) : 'ignore',
  );
}

/** Sends a signal to a process group. Ignores errors: the group may have ended. */
function killGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended.
  }
}

/** What bubblewrap and shells add to the number of the signal that ended a program, for their exit code. */
const signalExitBase = 128;
/** Signals that end programs. Other numbers are exit codes of ffmpeg: 187 is not signal 59. */
const fatalSignals: readonly NodeJS.Signals[] = [
  ...(['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV'] as const),
  ...(['SIGTERM', 'SIGXCPU', 'SIGXFSZ', 'SIGSYS'] as const),
];

/** How the program itself ended: bubblewrap ends with a code that stands for the signal. */
function endOf(
  wrapper: Pick<ExitResult, 'exitCode' | 'signal'>,
  isSandboxed: boolean,
): Pick<ExitResult, 'exitCode' | 'signal'> {
  const number = (wrapper.exitCode ?? 0) - signalExitBase;
  const signal = isSandboxed ? fatalSignals.find((name) => constants.signals[name] === number) : undefined;
  return signal === undefined ? wrapper : { exitCode: null, signal };
}

/** Keeps the end of a text of unlimited length, such as ffmpeg's messages about a damaged file. */
export class TextTail {
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
