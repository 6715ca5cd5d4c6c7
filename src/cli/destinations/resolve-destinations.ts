import { stat } from 'node:fs/promises';
import { VencError } from '../../shared/errors.js';
import { isUrl } from '../../shared/text/url-text.js';
import type { OutputDestinations } from '../run/assign-destinations.js';

/**
 * Resolves the `-o` of `run` and `plan`: files, or one folder. It is a folder if it ends in a slash, is an existing
 * folder, or there are several inputs. Rejects with `UsageError` if several inputs have several `-o` or one that is a
 * URL.
 */
export async function resolveDestinations(
  outs: readonly string[],
  inputCount: number,
  cwd: string,
): Promise<OutputDestinations> {
  const [out] = outs;
  if (out === undefined) return { cwd, files: [], folder: null };
  if (inputCount > 1) {
    if (outs.length === 1 && !isUrl(out) && out !== '-' && out !== '') return { cwd, files: [], folder: out };
    throw new VencError('UsageError', `With ${inputCount} inputs, -o must be one folder.`, {
      hint: 'for example -o out/; to name the outputs of each input, use a request file',
    });
  }
  const isFolder =
    outs.length === 1 && !isUrl(out) && out !== '' && (out.endsWith('/') || (await isDirectory(out)));
  return isFolder ? { cwd, files: [], folder: out } : { cwd, files: outs, folder: null };
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
