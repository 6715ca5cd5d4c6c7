import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '../../../src/shared/util/child-environment.js';
import { findOnPath } from './find-on-path.js';

/** How the program came to its end. */
export interface AscpResult {
  /** Null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null;
  /** The last that it said, on both ways. */
  readonly output: string;
}

/** One run of the program. */
export interface AscpOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly password: string;
  readonly searchPath: string;
  /** Ends it with all that it started: SIGTERM, and SIGKILL a second later. */
  readonly signal: AbortSignal;
}

const killAfterMs = 1_000;
const maxOutputCharacters = 8_192;

/**
 * Runs `ascp` to its end. The password goes by the environment, where only the program's own user can read it: arguments are for everybody
 * to see. Of our environment it gets nothing but what it needs. Never rejects.
 */
export async function runAscp({
  program,
  args,
  password,
  searchPath,
  signal,
}: AscpOptions): Promise<AscpResult> {
  if (signal.aborted) return { exitCode: null, output: '' };
  // So that it does not outlive a daemon that is killed.
  const parentDeathWrapper = await findOnPath('setpriv', searchPath);
  const [first, rest] =
    parentDeathWrapper === null
      ? [program, args]
      : [parentDeathWrapper, ['--pdeathsig', 'KILL', '--', program, ...args]];
  const child = spawn(first, rest, {
    env: childEnvironment({ PATH: searchPath, LC_ALL: 'C.UTF-8', ASPERA_SCP_PASS: password }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // The head of a group, which is ended as one.
    detached: true,
  });
  let output = '';
  const appendOutput = (text: string): void => {
    output = `${output}${text}`.slice(-maxOutputCharacters);
  };
  child.stdout.setEncoding('utf8').on('data', appendOutput);
  child.stderr.setEncoding('utf8').on('data', appendOutput);
  const terminate = (): void => {
    killGroup(child, 'SIGTERM');
    setTimeout(() => killGroup(child, 'SIGKILL'), killAfterMs).unref();
  };
  signal.addEventListener('abort', terminate, { once: true });
  if (signal.aborted) terminate();
  return new Promise((resolve) => {
    child.once('error', (error) => {
      signal.removeEventListener('abort', terminate);
      resolve({ exitCode: null, output: error.message });
    });
    child.once('close', (exitCode) => {
      signal.removeEventListener('abort', terminate);
      // Whatever it started and left behind.
      killGroup(child, 'SIGKILL');
      resolve({ exitCode, output });
    });
  });
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone.
  }
}
