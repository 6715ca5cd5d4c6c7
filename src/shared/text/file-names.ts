import { withoutExtension } from './url-text.js';

/** Maximum bytes of a name, which leaves space for `.part` and the number of an output. */
const maxNameBytes = 230;

/** Turns a text into a file name without path separators and control characters; empty if nothing is left. */
export function sanitizeFileName(text: string): string {
  const plain = text.replace(/[/\\\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '_').trim();
  return /^\.+$/.test(plain) ? '' : plain;
}

/** Shortens a name to the limits of file systems and keeps its extension. */
export function truncateFileName(name: string): string {
  const base = withoutExtension(name);
  const extension = name.slice(base.length);
  let characters = [...base];
  while (characters.length > 1 && Buffer.byteLength(characters.join('') + extension) > maxNameBytes)
    characters = characters.slice(0, -1);
  return characters.join('') + extension;
}

/** Adds a number to a file name, before its extension: `show-2.mp4`. */
export function numberedName(name: string, number: number): string {
  const stem = withoutExtension(name);
  return `${stem}-${number}${name.slice(stem.length)}`;
}
