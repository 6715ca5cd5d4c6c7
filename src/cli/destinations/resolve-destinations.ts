import { stat } from 'node:fs/promises';
import { VencError } from '../../shared/errors.js';
import { parseFlags, parseOutputFlag } from '../../shared/settings/flags.js';
import { isUrl } from '../../shared/text/url-text.js';
import { type CreateArgs, readOutputArgument } from '../input/job-args.js';
import type { OutputDestinations } from '../run/assign-destinations.js';

/**
 * Resolves the `-o` of `run` and `plan`: files, or one folder. It is a folder if it ends in a slash, is an existing
 * folder, or there are several inputs. Rejects with `UsageError` if several inputs have several `-o`, or one that is a
 * URL or looks like a file, and if another flag says as well where an output goes.
 */
export async function resolveDestinations(
  outs: readonly string[],
  inputCount: number,
  { cwd, args }: { readonly cwd: string; readonly args: CreateArgs },
): Promise<OutputDestinations> {
  const [out] = outs;
  if (out === undefined) return { cwd, files: [], folder: null };
  if (inputCount > 1) {
    if (outs.length !== 1 || isUrl(out) || out === '-' || out === '') {
      throw new VencError('UsageError', `With ${inputCount} inputs, -o must be one folder.`, {
        hint: 'for example -o out/; to name the outputs of each input, use a request file',
      });
    }
    if (mayBeFile.test(out) && !(await isDirectory(out))) {
      throw new VencError('UsageError', `${out} looks like a file, but ${inputCount} inputs need a folder.`, {
        hint: `name a folder: -o ${out.replace(mayBeFile, '')}/`,
      });
    }
  }
  const isFolder =
    inputCount > 1 ||
    (outs.length === 1 && !isUrl(out) && out !== '' && (out.endsWith('/') || (await isDirectory(out))));
  await rejectOtherDestinations(args, isFolder);
  return isFolder ? { cwd, files: [], folder: out } : { cwd, files: outs, folder: null };
}

/** The extension of a media file. `v1.2` is a name that folders have. */
const mayBeFile = /\.[a-z][a-z0-9]{1,4}$/i;

/**
 * Settings that name a destination. `filename` is only a name, which `-o` replaces, so that one list of settings fits
 * all commands.
 */
const remoteNames = ['url', 'base_url'] as const;

/**
 * Throws `UsageError` if a setting on the command line contradicts `-o`. A folder of `-o` still takes the outputs
 * without a URL.
 */
async function rejectOtherDestinations(args: CreateArgs, isFolder: boolean): Promise<void> {
  const { outputFlags } = parseFlags(args);
  const flag = remoteNames.find((name) => Object.hasOwn(outputFlags, name));
  const outputs = isFolder ? [] : (args.output ?? []);
  const settings = await Promise.all(
    outputs.map(async (text) => parseOutputFlag(await readOutputArgument(text))),
  );
  const name = remoteNames.find((one) => settings.some((given) => Object.hasOwn(given, one)));
  if (flag === undefined && name === undefined) return;
  const other = flag === undefined ? `--output ${name}` : `--${flag.replaceAll('_', '-')}`;
  throw new VencError('UsageError', `${other} and -o both say where the output goes; give one of them.`);
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
