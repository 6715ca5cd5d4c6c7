import { join } from 'node:path';
import { VencError } from '../../shared/errors.js';
import { fileNameInUrl, isUrl, withoutExtension } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';
import type { CreateArgs } from '../input/job-args.js';
import { isRequestName } from '../input/job-input.js';
import { hasLadder, ladderFolder } from '../input/ladder-flags.js';
import { pathOf } from './assign-destinations.js';

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
    throw new VencError('UsageError', `With --hls or --dash, -o names one folder, not ${out.length}.`);
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
export function outsOf(options: CreateArgs, inputs: readonly string[]): readonly string[] {
  const { out = [] } = options;
  if (!hasLadder(options)) return out;
  const folder = ladderFolder(options);
  if (folder !== null) return isUrl(folder) ? [] : [`${folder.replace(/\/+$/, '')}/`];
  const [input = ''] = inputs;
  return inputs.length > 1 || isRequestName(input) ? [] : [`${stemOf(input)}/`];
}

/** The request of one of several inputs, whose outputs go into a folder named after it. */
export function withOwnFolder(
  request: Record<string, unknown>,
  input: string,
  { hasOwnFolder }: { readonly hasOwnFolder: boolean },
): Record<string, unknown> {
  const { outputs } = request;
  if (!hasOwnFolder || !Array.isArray(outputs)) return request;
  const placed = outputs.map((output: unknown) =>
    isObject(output) && typeof output.filename === 'string'
      ? { ...output, filename: join(stemOf(input), output.filename) }
      : output,
  );
  return { ...request, outputs: placed };
}

function stemOf(input: string): string {
  return withoutExtension(isUrl(input) ? fileNameInUrl(input) : (input.split('/').at(-1) ?? input));
}
