import { outOfSpaceError } from '../../transfer/disk-errors.js';
import { permanentError, type TransferError, transientError } from '../../transfer/transfer-error.js';
import type { FaspLocation } from './fasp-url.js';

type AscpErrorMapper = (location: FaspLocation) => TransferError;

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
    () => ({ kind: 'final', error: outOfSpaceError(), retryAfterMs: null }),
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
export function mapAscpError(output: string, exitCode: number | null, location: FaspLocation): TransferError {
  const mapper = errorMappers.find(([pattern]) => pattern.test(output))?.[1];
  if (mapper !== undefined) return mapper(location);
  const exitDescription = exitCode === null ? 'was ended' : `ended with code ${exitCode}`;
  return transientError(
    'DownloadFailureError',
    `The program ascp ${exitDescription} while it fetched from ${location.name}.`,
  );
}
