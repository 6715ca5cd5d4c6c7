import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '../../src/shared/util/environment.js';
import { inScope } from '../../src/shared/util/error-scope.js';

/** The result of a run of a program. */
export interface ProgramResult {
  /** Null if a signal killed it, or it could not be started. */
  readonly exitCode: number | null;
  /** The end of its stdout and stderr. */
  readonly output: string;
}

/** Options of a run of a program. */
interface ProgramOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables of its environment, besides those that every program gets (`childEnvironment`). */
  readonly variables: Readonly<Record<string, string>>;
  /** What it reads from stdin; nothing if absent. */
  readonly stdin?: string;
  readonly searchPath: string;
  /** Whether processes that it leaves running are its own affair: they are not killed, and its output is not read. */
  readonly mayLeaveProcesses?: true;
  /** Kills the process group: SIGTERM, then SIGKILL one second later. */
  readonly signal: AbortSignal;
}

const killAfterMs = 1_000;
const maxOutputCharacters = 8_192;

/**
 * Runs a program until it exits. It gets no environment variables except those that it needs, because the others may be
 * secrets. Never rejects.
 */
export async function runProgram({
  program,
  args,
  variables,
  stdin,
  searchPath,
  mayLeaveProcesses,
  signal,
}: ProgramOptions): Promise<ProgramResult> {
  if (signal.aborted) return { exitCode: null, output: '' };
  // The parent-death wrapper kills the program if the daemon is killed.
  const parentDeathWrapper = await findOnPath('setpriv', searchPath);
  const [first, rest] =
    parentDeathWrapper === null
      ? [program, args]
      : [parentDeathWrapper, ['--pdeathsig', 'KILL', '--', program, ...args]];
  const child = spawn(first, rest, {
    env: childEnvironment(variables),
    stdio: mayLeaveProcesses ? ['pipe', 'ignore', 'ignore'] : ['pipe', 'pipe', 'pipe'],
    // Start a process group, so that all of its processes can be killed.
    detached: true,
  });
  let output = '';
  const appendOutput = (text: string): void => {
    output = `${output}${text}`.slice(-maxOutputCharacters);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', appendOutput);
  // A program that does not read its stdin closes it; its exit code says whether that is a failure.
  child.stdin?.on('error', () => undefined).end(stdin);
  const terminate = (): void => {
    killGroup(child, 'SIGTERM');
    setTimeout(
      inScope(() => killGroup(child, 'SIGKILL')),
      killAfterMs,
    ).unref();
  };
  signal.addEventListener('abort', terminate, { once: true });
  if (signal.aborted) terminate();
  return new Promise((resolve) => {
    const settle = (result: ProgramResult): void => {
      signal.removeEventListener('abort', terminate);
      resolve(result);
    };
    child.once('error', (error) => settle({ exitCode: null, output: error.message }));
    // Its output closes only when the processes that it left running have ended.
    child.once(mayLeaveProcesses ? 'exit' : 'close', (exitCode) => {
      // Kill the processes that it started and left running.
      if (!mayLeaveProcesses) killGroup(child, 'SIGKILL');
      settle({ exitCode, output });
    });
  });
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has exited already.
  }
}

/** Finds a program on a search path such as `PATH`; null if it is not there. */
export async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter).filter((entry) => entry.startsWith('/'))) {
    const path = join(folder, name);
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return null;
}
