import { isTooDeep } from '../shared/util/is-object.js';

/** Texts and numbers of JSON, one after the other. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON. Whole numbers that a number cannot hold exactly become texts: an id that is off by one is that of another job. Throws
 * where the text is no JSON, or nests deeper than any answer does.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(/\d{16}/.test(text) ? text.replace(tokens, toExactNumber) : text);
  if (isTooDeep(value)) throw new SyntaxError('It nests too deep.');
  return value;
}

function toExactNumber(token: string): string {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
