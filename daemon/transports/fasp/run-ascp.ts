import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '../../../src/shared/util/child-environment.js';
import { outOfSpaceError } from '../../transfer/disk-errors.js';
import { permanentError, type TransferError, transientError } from '../../transfer/transfer-error.js';

/** The result of a run of `ascp`. */
interface AscpResult {
  /** Null if a signal killed it, or it could not be started. */
  readonly exitCode: number | null;
  /** The end of its stdout and stderr. */
  readonly output: string;
}

/** Options of a run of `ascp`. */
interface AscpOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly password: string;
  readonly searchPath: string;
  /** Kills the process group: SIGTERM, then SIGKILL one second later. */
  readonly signal: AbortSignal;
}

const killAfterMs = 1_000;
const maxOutputCharacters = 8_192;

/**
 * Runs `ascp` until it exits. The password is passed in the environment, which only the user of the process can read; arguments are visible
 * to all users. No other environment variables are passed except those that it needs. Never rejects.
 */
export async function runAscp({
  program,
  args,
  password,
  searchPath,
  signal,
}: AscpOptions): Promise<AscpResult> {
  if (signal.aborted) return { exitCode: null, output: '' };
  // The parent-death wrapper kills ascp if the daemon is killed.
  const parentDeathWrapper = await findOnPath('setpriv', searchPath);
  const [first, rest] =
    parentDeathWrapper === null
      ? [program, args]
      : [parentDeathWrapper, ['--pdeathsig', 'KILL', '--', program, ...args]];
  const child = spawn(first, rest, {
    env: childEnvironment({ PATH: searchPath, LC_ALL: 'C.UTF-8', ASPERA_SCP_PASS: password }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Start a process group, so that all of its processes can be killed.
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
      // Kill the processes that it started and left running.
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
    // The group has exited already.
  }
}

/** The requested file, for messages. */
interface AscpSource {
  readonly path: string;
  /** Host with its port. */
  readonly name: string;
}

type AscpErrorMapper = (source: AscpSource) => TransferError;

/** Errors by patterns of the output; the first match wins. The output itself is never shown, because it may contain secrets. */
const errorMappers: readonly (readonly [RegExp, AscpErrorMapper])[] = [
  [
    /authenticat|permission denied \(|(?:wrong|invalid|incorrect) (?:password|user)/i,
    ({ name }) =>
      permanentError('InvalidUsernameOrPasswordError', `${name} does not accept the user and the password.`),
  ],
  [
    /no such file|file not found|does not exist/i,
    ({ name, path }) => permanentError('FileNotFoundError', `There is no file ${path} on ${name}.`),
  ],
  [
    /permission denied|access denied|not permitted|not allowed/i,
    ({ name, path }) =>
      permanentError('DownloadAccessDeniedError', `${name} denies its user read access to ${path}.`),
  ],
  [
    /no space left|disk full|insufficient (?:disk )?space|disk quota/i,
    () => ({ kind: 'permanent', error: outOfSpaceError(), retryAfterMs: null }),
  ],
  [
    /refused|unable to connect|(?:ssh|tcp) connection|no route to host|unreachable/i,
    ({ name }) => ({
      ...transientError('DownloadFailureError', `${name} could not be connected to.`),
      kind: 'connect',
    }),
  ],
  [
    /time(?:d )?\s?out/i,
    ({ name }) => transientError('DownloadTimeoutError', `${name} did not answer in time.`),
  ],
];

/** Maps a failed run of `ascp`. */
export function mapAscpError(output: string, exitCode: number | null, source: AscpSource): TransferError {
  const mapper = errorMappers.find(([pattern]) => pattern.test(output))?.[1];
  if (mapper !== undefined) return mapper(source);
  const exitDescription = exitCode === null ? 'was killed' : `exited with code ${exitCode}`;
  return transientError(
    'DownloadFailureError',
    `The program ascp ${exitDescription} while it downloaded from ${source.name}.`,
  );
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
