import { basename, dirname, join, resolve } from 'node:path';
import { VencError } from '../../shared/errors.js';
import { choiceParser } from '../../shared/flag-parsers.js';
import { numberedName } from '../../shared/text/file-names.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';

/** What happens if two inputs would write the same file. */
export type OnConflict = 'number' | 'fail';

/** The files that one of several inputs is to write. */
export interface Claim {
  readonly input: string;
  /** Paths, which may be relative to the current folder, and URLs, which stay as they are. */
  readonly paths: readonly string[];
}

/** A file that has another name than its input asks for, because another input has that. */
interface Conflict {
  readonly input: string;
  readonly owner: string;
  /** The file that both ask for, in the letter case of the owner. */
  readonly held: string;
  /** The new name. */
  readonly path: string;
}

/** The flag `--on-conflict`, its help text, its parser and its default. */
export const conflictOption = [
  '--on-conflict <how>',
  'number equal output names, or fail',
  choiceParser('--on-conflict', ['number', 'fail'] satisfies readonly OnConflict[]),
  'number' satisfies OnConflict,
] as const;

/**
 * Numbers the files that several inputs would write: `show.mp4`, `show-2.mp4`. The first input by its path keeps the
 * name, so that the names do not depend on the order of the arguments. A number is left out if a file of another input
 * has it, or if it is the path of an input. The letter case and the form of accents make no difference, as on many file
 * systems. `withNumber` adds a number to a path. Pure.
 */
export function numberNames(
  claims: readonly Claim[],
  withNumber: (path: string, number: number) => string = numberedFile,
): { readonly paths: readonly (readonly string[])[]; readonly conflicts: readonly Conflict[] } {
  const owners = new Map<string, { readonly input: string; readonly path: string }>();
  const sorted = [...claims.entries()].toSorted(([, one], [, other]) => (one.input < other.input ? -1 : 1));
  for (const [, { input, paths }] of sorted)
    for (const path of paths) if (!owners.has(keyOf(path))) owners.set(keyOf(path), { input, path });
  const taken = new Set([...owners.keys(), ...claims.map(({ input }) => keyOf(input))]);
  const conflicts: Conflict[] = [];
  // The next number of each name: many inputs may have one name.
  const next = new Map<string, number>();
  const numbered = new Map<number, readonly string[]>();
  for (const [index, { input, paths }] of sorted) {
    const found = paths.map((wanted) => {
      const owner = owners.get(keyOf(wanted));
      if (owner === undefined || owner.input === input || isUrl(wanted)) return wanted;
      let number = next.get(keyOf(wanted)) ?? 2;
      while (taken.has(keyOf(withNumber(wanted, number)))) number += 1;
      next.set(keyOf(wanted), number + 1);
      const path = withNumber(wanted, number);
      taken.add(keyOf(path));
      conflicts.push({ input, owner: owner.input, held: owner.path, path });
      return path;
    });
    numbered.set(index, found);
  }
  return { paths: claims.map(({ paths }, index) => numbered.get(index) ?? paths), conflicts };
}

/** Adds a number to the name of a folder. */
export function numberedFolder(path: string, number: number): string {
  return `${path}-${number}`;
}

function numberedFile(path: string, number: number): string {
  const file = numberedName(basename(path), number);
  return dirname(path) === '.' ? file : join(dirname(path), file);
}

function keyOf(path: string): string {
  return isUrl(path) ? path : resolve(path).normalize('NFC').toLowerCase();
}

/** The number of conflicts that are printed. */
const maxPrinted = 10;

/**
 * Prints which files got a number, a line for each. Throws `UsageError` with all conflicts if they are to fail; `done`
 * says what was not done then.
 */
export function reportConflicts(
  conflicts: readonly Conflict[],
  { onConflict = 'number', done }: { readonly onConflict?: OnConflict; readonly done: string },
  writeInfo: (text: string) => void,
): void {
  if (conflicts.length === 0) return;
  if (onConflict === 'fail') {
    const messages = conflicts.map(
      ({ owner, input, held }) => `${owner} and ${input} would both be written to ${held}.`,
    );
    throw new VencError('UsageError', `${messages.join(' ')} Nothing was ${done}.`, {
      messages: [...messages, `Nothing was ${done}.`],
      hint: 'number them with --on-conflict number, or name them with --name',
    });
  }
  for (const { owner, input, held, path } of conflicts.slice(0, maxPrinted))
    writeInfo(`venc: ${safeText(`${input}: its output is ${path}, because ${owner} has ${held}`)}\n`);
  const rest = conflicts.length - maxPrinted;
  if (rest > 0) writeInfo(`venc: ${rest} more outputs have a number in their names\n`);
}
