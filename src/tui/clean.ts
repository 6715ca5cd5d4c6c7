import { redact } from '../api/redact.js';

// C0 and C1 controls, the two separators that break lines, and the marks that turn the direction of text round.
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * A text of a service made fit for a terminal: control characters become one space, so that no name or message can
 * move the cursor or forge a line, and secrets in addresses are masked.
 */
export function clean(text: string): string {
  return redact(text.replace(unsafe, ' ')).trim();
}

/** The last part of an address or path as a person would call the file; the whole where it has none. */
export function fileNameOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return clean(decoded(name === '' ? url : name));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
