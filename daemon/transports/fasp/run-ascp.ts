import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '../../../src/shared/util/child-environment.js';
import { findOnPath } from './find-ascp.js';

/** How the program came to its end. */
export interface AscpEnding {
  /** Null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null;
  /** The last that it said, on both ways. */
  readonly said: string;
}

/** One run of the program. */
export interface AscpRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly password: string;
  readonly searchPath: string;
  /** Ends it with all that it started: SIGTERM, and SIGKILL a second later. */
  readonly signal: AbortSignal;
}

const killAfterMs = 1_000;
const tailCharacters = 8_192;

/**
 * Runs `ascp` to its end. The password goes by the environment, where only the program's own user can read it: arguments are for everybody
 * to see. Of our environment it gets nothing but what it needs. Never rejects.
 */
export async function runAscp({ program, args, password, searchPath, signal }: AscpRun): Promise<AscpEnding> {
  if (signal.aborted) return { exitCode: null, said: '' };
  // So that it does not outlive a daemon that is killed.
  const guardian = await findOnPath('setpriv', searchPath);
  const [first, rest] =
    guardian === null ? [program, args] : [guardian, ['--pdeathsig', 'KILL', '--', program, ...args]];
  const child = spawn(first, rest, {
    env: childEnvironment({ PATH: searchPath, LC_ALL: 'C.UTF-8', ASPERA_SCP_PASS: password }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // The head of a group, which is ended as one.
    detached: true,
  });
  let said = '';
  const hear = (text: string): void => {
    said = `${said}${text}`.slice(-tailCharacters);
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const end = (): void => {
    killGroup(child, 'SIGTERM');
    setTimeout(() => killGroup(child, 'SIGKILL'), killAfterMs).unref();
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return new Promise((resolve) => {
    child.once('error', (error) => {
      signal.removeEventListener('abort', end);
      resolve({ exitCode: null, said: error.message });
    });
    child.once('close', (exitCode) => {
      signal.removeEventListener('abort', end);
      // Whatever it started and left behind.
      killGroup(child, 'SIGKILL');
      resolve({ exitCode, said });
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
