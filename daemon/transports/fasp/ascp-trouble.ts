import { outOfSpaceError } from '../../transfer/map-disk-error.js';
import { finalTrouble, passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import type { FaspPlace } from './fasp-url.js';

type Meaning = (place: FaspPlace) => Trouble;

/** What the program's words mean, the first that match. Its words themselves are told to nobody. */
const meanings: readonly (readonly [RegExp, Meaning])[] = [
  [
    /authenticat|permission denied \(|(?:wrong|invalid|incorrect) (?:password|user)/i,
    ({ name }) =>
      finalTrouble('InvalidUsernameOrPasswordError', `${name} does not accept the user and the password.`),
  ],
  [
    /no such file|file not found|does not exist/i,
    ({ name, path }) => finalTrouble('FileNotFoundError', `There is no file ${path} on ${name}.`),
  ],
  [
    /permission denied|access denied|not permitted|not allowed/i,
    ({ name, path }) =>
      finalTrouble('DownloadAccessDeniedError', `${name} does not let its user read ${path}.`),
  ],
  [
    /no space left|disk full|insufficient (?:disk )?space|disk quota/i,
    () => ({ kind: 'final', error: outOfSpaceError(), retryAfterMs: null }),
  ],
  [
    /refused|unable to connect|(?:ssh|tcp) connection|no route to host|unreachable/i,
    ({ name }) => ({
      ...passingTrouble('DownloadFailureError', `${name} could not be connected to.`),
      kind: 'connect',
    }),
  ],
  [
    /time(?:d )?\s?out/i,
    ({ name }) => passingTrouble('DownloadTimeoutError', `${name} did not answer in time.`),
  ],
];

/** What an end of `ascp` with an error means. */
export function ascpTrouble(said: string, exitCode: number | null, place: FaspPlace): Trouble {
  const meaning = meanings.find(([words]) => words.test(said))?.[1];
  if (meaning !== undefined) return meaning(place);
  const how = exitCode === null ? 'was ended' : `ended with code ${exitCode}`;
  return passingTrouble(
    'DownloadFailureError',
    `The program ascp ${how} while it fetched from ${place.name}.`,
  );
}
