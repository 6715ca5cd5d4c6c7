import { readFile } from 'node:fs/promises';
import { VencError } from '../../shared/errors.js';
import { diskReason } from '../../shared/util/system-code.js';

/** The flag `--from`, its argument and its help text. */
export const fromOption = ['--from <file>', 'also the inputs in this file, one per line'] as const;

/**
 * The inputs of a command: its arguments, and those in the file of `--from`. Rejects with `UsageError` if the file
 * cannot be read or names no input.
 */
export async function namedInputs(
  args: readonly string[],
  { from }: { readonly from?: string },
): Promise<readonly string[]> {
  return from === undefined ? args : [...args, ...(await readList(from))];
}

/**
 * Reads a list of inputs: one per line, or separated by zero bytes if it has any, as `find -print0` writes them. A name
 * with a line break needs the latter. Empty lines are left out.
 */
async function readList(path: string): Promise<readonly string[]> {
  if (path === '-')
    throw new VencError('UsageError', '--from needs a file: stdin is not supported.', {
      hint: 'write the names to a file first',
    });
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new VencError('UsageError', `${path} (--from) cannot be read: ${diskReason(error, 'read')}.`, {
      cause: error,
    });
  });
  const names = namesIn(text.replace(/^\uFEFF/, ''));
  const stdin = names.indexOf('-');
  if (stdin >= 0)
    throw new VencError(
      'UsageError',
      `Name ${stdin + 1} in ${path} (--from) is -, which is stdin and no file.`,
      {
        hint: 'for a file of that name, write ./-',
      },
    );
  if (names.length === 0) throw new VencError('UsageError', `${path} (--from) names no input.`);
  return names;
}

function namesIn(text: string): readonly string[] {
  const separator = text.includes('\0') ? '\0' : /\r?\n/;
  return text.split(separator).filter((name) => name !== '');
}

/** The text of a list of inputs that `--from` reads. */
export function listText(names: readonly string[]): string {
  const separator = names.some((name) => /[\r\n]/.test(name)) ? '\0' : '\n';
  return names.map((name) => `${name}${separator}`).join('');
}
