import { VencError } from '../../../src/shared/errors.js';

/** The exact type that every JSONP answer carries. */
export const jsonpType = 'application/javascript; charset=utf-8';

const callbackPattern = /^[A-Za-z_$][\w$.]{0,63}$/;
// Line ends in JavaScript before ES2019, and plain characters in JSON.
const lineSeparators = /[\u2028\u2029]/g;

/** The callback to call: the one asked for, or the route's own. Throws `InvalidCallbackError` where it is no name of a function. */
export function callbackOf(requested: string | null, fallback: string): string {
  if (requested === null) return fallback;
  if (callbackPattern.test(requested)) return requested;
  throw new VencError(
    'InvalidCallbackError',
    'callback must be the name of a function: a letter, _ or $, then up to 63 letters, digits, _, $ or dots.',
  );
}

/** JSON as a script that hands it to a callback (contract, section 7). */
export function toJsonp(json: string, callback: string): string {
  const escaped = json.replace(lineSeparators, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
  return `${callback}(${escaped})`;
}
