import { isObject } from '../shared/util/is-object.js';

/** The object that the text of a file of ours holds. An empty file holds an empty one. Throws an error whose message repeats nothing of the text. */
export function parseFile(text: string): Readonly<Record<string, unknown>> {
  const plain = text.replace(/^\uFEFF/, '');
  if (plain.trim() === '') return {};
  const value = parsed(plain);
  if (isObject(value)) return { ...value };
  throw new Error('it is no JSON object.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message repeats a part of the text, which may be secret.
    throw new Error('it is no valid JSON.');
  }
}
