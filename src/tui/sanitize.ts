import { redact } from '../shared/redact.js';
import { safeText } from '../shared/text/safe-text.js';
import { decodeUrlPart } from '../shared/text/url-text.js';

/** Words such as a service has for states and events: most texts are, and nothing in them is to be taken out. */
const plainWords = /^[a-z]+(?: [a-z]+)*$/;

/** A text of a service made fit for a terminal, with the secrets in its addresses masked. */
export function sanitize(text: string): string {
  return plainWords.test(text) ? text : redact(safeText(text)).trim();
}

/** The last part of an address or path as a person would call the file; the whole where it has none. */
export function fileNameOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return sanitize(decodeUrlPart(name === '' ? url : name));
}
