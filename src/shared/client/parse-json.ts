import { isTooDeep } from '../util/is-object.js';

/** Matches the strings and numbers of JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON. Integers beyond the safe range become strings: an id that is off by one is that of another job. Throws
 * if the text is not JSON or is nested deeper than any answer.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(/\d{16}/.test(text) ? text.replace(tokens, toExactNumber) : text);
  if (isTooDeep(value)) throw new SyntaxError('It nests too deep.');
  return value;
}

function toExactNumber(token: string): string {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
