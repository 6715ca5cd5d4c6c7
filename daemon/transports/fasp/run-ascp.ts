import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '../../../src/shared/util/child-environment.js';
import { outOfSpaceError } from '../../transfer/disk-errors.js';
import { permanentError, type TransferError, transientError } from '../../transfer/transfer-error.js';

/** How the program came to its end. */
interface AscpResult {
  /** Null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null;
  /** The last that it said, on both ways. */
  readonly output: string;
}

/** One run of the program. */
interface AscpOptions {
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

/** The file that was asked for. */
interface AscpSource {
  readonly path: string;
  /** The host with its port. */
  readonly name: string;
}

type AscpErrorMapper = (source: AscpSource) => TransferError;

/** What the program's words mean, the first that match. Its words themselves are told to nobody. */
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
      permanentError('DownloadAccessDeniedError', `${name} does not let its user read ${path}.`),
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

/** What an end of `ascp` with an error means. */
export function mapAscpError(output: string, exitCode: number | null, source: AscpSource): TransferError {
  const mapper = errorMappers.find(([pattern]) => pattern.test(output))?.[1];
  if (mapper !== undefined) return mapper(source);
  const exitDescription = exitCode === null ? 'was ended' : `ended with code ${exitCode}`;
  return transientError(
    'DownloadFailureError',
    `The program ascp ${exitDescription} while it fetched from ${source.name}.`,
  );
}

/** Where a program is on a search path, such as `PATH`; null where it is not. */
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
