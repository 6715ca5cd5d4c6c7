import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isPresetName, presetNames, readPreset, removePreset, savePreset } from '../../config/presets.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../help/help-text.js';
import { withTypedErrors } from '../input/command-errors.js';
import type { FileToUpload } from '../input/files.js';
import {
  addJobOptions,
  buildRequestBody,
  type JobArgs,
  loadPreset,
  validateRequest,
  withExamplesFirst,
} from '../input/job-args.js';
import { printRequestWarnings } from '../input/print-warnings.js';
import { type PresetRecord, presetRecord } from '../output/setup-tables.js';
import type { Io } from '../terminal/io.js';
import { addListCommand } from '../terminal/print-records.js';
import { warnQuarantined } from '../terminal/report-error.js';

/** `venc preset`: manages saved settings, for `--preset NAME` of `run`, `submit` and `plan`. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  const save = command
    .command('save')
    .description('Save settings under a name. The flags are those of submit.')
    .argument('<name>', '1 to 64 letters, digits or . _ -')
    .option('--force', 'replace the preset that has this name');
  withExamplesFirst(addJobOptions(save), saveDetails).action(
    context.handler((name: string, options: SaveOptions) =>
      withTypedErrors(undefined, options, () => saveSettings(name, options, context)),
    ),
  );
  addListCommand(command, context, {
    name: 'presets',
    description: 'List the presets.',
    details: formatExamples('venc preset list', 'venc preset list --json --fields name'),
    known: { name: '', settings: {} },
    read: list,
  });
  command
    .command('show')
    .description('Print a preset as a request in JSON, without passwords.')
    .argument('<name>', 'name of the preset')
    .addHelpText('after', formatExamples('venc preset show web'))
    .action(context.handler((name: string) => show(name, context)));
  command
    .command('remove')
    .description('Remove a preset.')
    .argument('<name>', 'name of the preset')
    .addHelpText('after', formatExamples('venc preset remove web'))
    .action(context.handler((name: string) => remove(name, context)));
}

interface SaveOptions extends JobArgs {
  readonly force?: boolean;
}

const details = `
A preset is a request without an input, in the folder presets/ of the configuration, readable only by you.
A request file overrides the preset, a flag overrides both, and --output overrides a flag. A preset with one output applies to
every output; the outputs of a preset with several apply to the outputs in order.

Examples:
  venc preset save web --video-codec vp9 --height 720 --quality 4
  venc run film.mov --preset web
  venc submit film.mov --preset web --height 480`;

const saveDetails = `
Invalid values are rejected. A local watermark is saved with its absolute path. With --preset the new preset starts from
another one.

Examples:
  venc preset save web --video-codec vp9 --height 720 --quality 4
  venc preset save ladder --output label=large,height=1080 \\
    --output label=small,height=360
  venc preset save web --preset web --quality 5 --force`;

async function saveSettings(name: string, options: SaveOptions, { io }: Context) {
  if (!isPresetName(name)) {
    throw new VencError(
      'UsageError',
      'The name of a preset has 1 to 64 characters: letters, digits, . _ and -; the first is not . or -',
    );
  }
  if (options.force !== true && (await presetNames(io.env)).includes(name)) {
    throw new VencError('UsageError', `There is already a preset ${name}.`, {
      hint: 'replace it with --force, or choose another name',
    });
  }
  const preset = await loadPreset(options, io.env);
  const images = new Map<string, FileToUpload>();
  const request = await buildRequestBody({ request: null, input: null, preset }, options, images);
  if (Object.keys(request).length === 0) {
    throw new VencError('UsageError', 'There are no settings to save.', {
      hint: `for example: venc preset save ${name} --video-codec vp9 --height 720`,
    });
  }
  await validateRequest({ ...request, input: 'file:///input' });
  await printRequestWarnings(request, { io, typed: { arg: '', args: options } });
  warnQuarantined(io, await savePreset(io.env, name, await withPaths(request, images)));
  io.writeStderr(`venc: preset ${name} saved; to use it: venc run film.mov --preset ${name}\n`);
  return exitCodes.done;
}

/** Replaces the `file:` URLs of local watermarks by absolute paths, because later commands upload them again. */
async function withPaths(request: Record<string, unknown>, images: ReadonlyMap<string, FileToUpload>) {
  if (images.size === 0) return request;
  const { replaceWatermarks } = await import('../input/local-watermarks.js');
  return replaceWatermarks(
    request,
    new Map([...images].map(([address, { path }]) => [address, resolve(path)])),
  );
}

async function list(_: unknown, { io }: Context) {
  const records = await Promise.all((await presetNames(io.env)).map((name) => recordOf(name, io)));
  return records.flatMap((record) => record ?? []);
}

/** Reads a preset. Warns and returns null if it cannot be read, so that the others are still listed. */
async function recordOf(name: string, io: Io): Promise<PresetRecord | null> {
  try {
    return presetRecord(name, await readPreset(io.env, name));
  } catch (error) {
    if (!isVencError(error, 'UsageError')) throw error;
    io.writeStderr(`venc: warning: ${safeText(error.message)}\n`);
    return null;
  }
}

async function show(name: string, { io }: Context) {
  const { settings } = presetRecord(name, await readPreset(io.env, name));
  await io.writeStdout(`${jsonText(settings, 2)}\n`);
  return exitCodes.done;
}

async function remove(name: string, { io }: Context) {
  await removePreset(io.env, name);
  io.writeStderr(`venc: preset ${name} removed\n`);
  return exitCodes.done;
}
