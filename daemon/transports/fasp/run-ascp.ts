import { outOfSpaceError } from '../../transfer/disk-errors.js';
import { permanentError, type TransferError, transientError } from '../../transfer/transfer-error.js';
import { type ProgramResult, runProgram } from '../run-program.js';

/** Options of a run of `ascp`. */
interface AscpOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly password: string;
  readonly searchPath: string;
  /** Kills its processes. */
  readonly signal: AbortSignal;
}

/**
 * Runs `ascp` until it exits. The password is passed in the environment, which only the user of the process can read; arguments are visible
 * to all users. Never rejects.
 */
export function runAscp({ password, searchPath, ...options }: AscpOptions): Promise<ProgramResult> {
  return runProgram({
    ...options,
    searchPath,
    variables: { PATH: searchPath, LC_ALL: 'C.UTF-8', ASPERA_SCP_PASS: password },
  });
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
