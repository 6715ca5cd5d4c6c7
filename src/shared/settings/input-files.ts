import { safeText } from '../text/safe-text.js';
import { mediaExtensions } from './general.js';
import { maxInputNameLength } from './limits.js';

/** The input of a request that is only checked, before its file is uploaded: any address that a daemon accepts. */
export const placeholderInput = 'http://example.com/to-come';

/** Whether a file is a request, or one that a transfer has not completed: it is never an input. */
export function isNeverInput(path: string): boolean {
  return /\.(?:json|xml|part)$/i.test(path);
}

/** Whether a file has the extension of a media file, which makes it an input if it is found in a folder. */
export function isMediaName(path: string): boolean {
  return mediaExtensions.has(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
}

/** The number of different extensions that a message names. */
const maxNamed = 5;

/** How many files were passed over, by their extensions: `3 files of no known media type (2 .txt, 1 .nfo)`. */
export function passedOverText(files: readonly string[], why = 'of no known media type'): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const extension = /[^/](\.[^./]+)$/.exec(file)?.[1]?.toLowerCase() ?? 'without extension';
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(
    ([name, one], [otherName, other]) => other - one || (name < otherName ? -1 : 1),
  );
  const named = sorted.slice(0, maxNamed).map(([extension, count]) => `${count} ${extension}`);
  const rest = sorted.length > maxNamed ? ', others' : '';
  return `${files.length} ${files.length === 1 ? 'file' : 'files'} ${why} (${named.join(', ')}${rest})`;
}

/** The path of a file as `input_name`: made safe for a terminal, and without its beginning if it is too long. */
export function inputNameOf(path: string): string {
  const characters = [...safeText(path)];
  return characters.length <= maxInputNameLength
    ? characters.join('')
    : `…${characters.slice(1 - maxInputNameLength).join('')}`;
}
