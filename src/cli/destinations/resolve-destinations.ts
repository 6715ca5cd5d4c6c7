import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { VencError } from '../../shared/errors.js';
import { parseFlags, parseOutputFlag } from '../../shared/settings/flags.js';
import { fileNameInUrl, isUrl, withoutExtension } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';
import type { FoundInput, FoundInputs } from '../input/find-inputs.js';
import { type CreateArgs, readOutputArgument } from '../input/job-args.js';
import { isRequestName } from '../input/job-input.js';
import { hasLadder, ladderFolder, ladderTerm } from '../input/ladder-flags.js';
import { type OutputDestinations, pathOf } from '../run/assign-destinations.js';
import { numberedFolder, numberNames } from './number-names.js';

/** The inputs of a command, as far as they matter for the places of its outputs. */
type Inputs = Pick<FoundInputs, 'hasFolder'> & { readonly inputs: readonly unknown[] };

/** Whether a command has several inputs, or a folder, which may have several. */
export function isBatch({ inputs, hasFolder }: Inputs): boolean {
  return hasFolder || inputs.length > 1;
}

/**
 * Resolves the `-o` of `run` and `plan`: files, or one folder. It is a folder if it ends in a slash, is an existing
 * folder, or there are several inputs or a folder of them. Rejects with `UsageError` if several inputs have several
 * `-o`, or one that is a URL or looks like a file, and if another flag says as well where an output goes.
 */
export async function resolveDestinations(
  outs: readonly string[],
  given: Inputs,
  { cwd, args }: { readonly cwd: string; readonly args: CreateArgs },
): Promise<OutputDestinations> {
  const [out] = outs;
  if (out === undefined) return { cwd, files: [], folder: null };
  const hasMany = isBatch(given);
  if (hasMany) {
    const what = given.hasFolder ? 'a folder as input' : `${given.inputs.length} inputs`;
    if (outs.length !== 1 || isUrl(out) || out === '-' || out === '') {
      throw new VencError('UsageError', `With ${what}, -o must be one folder.`, {
        hint: 'for example -o out/; to name the outputs of each input, use a request file',
      });
    }
    if (mayBeFile.test(out) && !(await isDirectory(out))) {
      const needs = given.hasFolder ? 'needs' : 'need';
      throw new VencError('UsageError', `${out} looks like a file, but ${what} ${needs} a folder.`, {
        hint: `name a folder: -o ${out.replace(mayBeFile, '')}/`,
      });
    }
  }
  const isFolder =
    hasMany ||
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

/**
 * The options of a command in which `--hls` or `--dash` names the folder of a ladder, also if `-o` does. A `file:` URL
 * becomes a path. Throws `UsageError` if more than one folder is named.
 */
export function withLadderFolder<T extends CreateArgs>(options: T): T {
  const { out = [], hls } = options;
  if (!hasLadder(options)) return options;
  const folder = ladderFolder(options);
  if (folder !== null && out.length > 0)
    throw new VencError(
      'UsageError',
      'Both -o and --hls or --dash name the folder of the files; give one of them.',
    );
  if (out.length > 1)
    throw new VencError('UsageError', `With ${ladderTerm(options)}, -o names one folder, not ${out.length}.`);
  const [given = folder] = out;
  if (given === null) return options;
  const place = /^file:/i.test(given) ? pathOf(given) : given;
  const flag = typeof hls === 'string' || (folder === null && hls !== undefined) ? 'hls' : 'dash';
  return { ...options, out: [], [flag]: place };
}

/**
 * The `-o` of a command: that which was given, or the folder of a ladder with a slash, from {@link withLadderFolder}.
 * Without a name for it, the folder is named after the input.
 */
export function outsOf(options: CreateArgs, found: FoundInputs): readonly string[] {
  const { out = [] } = options;
  if (!hasLadder(options)) return out;
  const folder = ladderFolder(options);
  if (folder !== null) return isUrl(folder) ? [] : [`${folder.replace(/\/+$/, '')}/`];
  const { name = '' } = found.inputs[0] ?? {};
  return isBatch(found) || isRequestName(name) ? [] : [`${stemOf(name)}/`];
}

/** The folder of the outputs on this machine, from the options of a command after {@link withLadderFolder}. */
export function outputFolderOf(options: CreateArgs): string {
  const [out = '.'] = options.out ?? [];
  const folder = ladderFolder(options) ?? out;
  return isUrl(folder) || folder === '' ? '.' : folder;
}

/** The destinations of the outputs of one input: those of a file of a folder are in a folder of the same path. */
export function destinationsOf(all: OutputDestinations, { folder }: FoundInput): OutputDestinations {
  return folder === '' ? all : { ...all, folder: join(all.folder ?? '', folder) };
}

/**
 * The folders for the ladders of several inputs: each is named after its input, with a number if another one has that
 * name.
 */
export function ownFolders(inputs: readonly FoundInput[]) {
  const claims = inputs.map(({ name, folder }) => ({ input: name, paths: [join(folder, stemOf(name))] }));
  const { paths, conflicts } = numberNames(claims, numberedFolder);
  const names = new Map(inputs.map((input, index) => [input, basename(paths[index]?.[0] ?? '')]));
  return { names, conflicts };
}

/** The request of one of several inputs, whose outputs go into a folder of this name. */
export function withOwnFolder(request: Record<string, unknown>, folder: string): Record<string, unknown> {
  const { outputs } = request;
  if (!Array.isArray(outputs)) return request;
  const placed = outputs.map((output: unknown) =>
    isObject(output) && typeof output.filename === 'string'
      ? { ...output, filename: join(folder, output.filename) }
      : output,
  );
  return { ...request, outputs: placed };
}

function stemOf(input: string): string {
  return withoutExtension(isUrl(input) ? fileNameInUrl(input) : (input.split('/').at(-1) ?? input));
}
