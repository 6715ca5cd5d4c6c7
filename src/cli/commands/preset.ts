import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isPresetName, presetNames, readPreset, removePreset, savePreset } from '../../config/presets.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { redact } from '../../shared/redact.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import type { FileToUpload } from '../input/files.js';
import {
  addJobOptions,
  buildRequestBody,
  type JobArgs,
  loadPreset,
  validateRequest,
  withExamplesFirst,
} from '../input/job-args.js';
import { printRequestWarnings, withTypedErrors } from '../input/typed-request.js';
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
    context.handler((name: string, options: SaveOptions, self: Context) =>
      withTypedErrors(undefined, options, () => saveSettings(name, options, self)),
    ),
  );
  addListCommand(command, context, {
    name: 'presets',
    description: 'List the presets.',
    details: formatExamples('venc preset list', 'venc preset list --json --fields name'),
    known: { name: '', settings: {} },
    columns: () => [
      { title: 'NAME', priority: 2, minWidth: 8, text: ({ name }) => name },
      { title: 'SETTINGS', priority: 1, minWidth: 24, text: ({ settings }) => settingsText(settings) },
    ],
    read: list,
  });
  command
    .command('show')
    .description('Print a preset as a request in JSON, without passwords.')
    .argument('<name>', 'name of the preset')
    .addHelpText('after', formatExamples('venc preset show web'))
    .action(context.handler(show));
  command
    .command('remove')
    .description('Remove a preset.')
    .argument('<name>', 'name of the preset')
    .addHelpText('after', formatExamples('venc preset remove web'))
    .action(context.handler(remove));
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

async function show(name: string, _: object, { io }: Context) {
  const { settings } = presetRecord(name, await readPreset(io.env, name));
  await io.writeStdout(`${jsonText(settings, 2)}\n`);
}

async function remove(name: string, _: object, { io }: Context) {
  await removePreset(io.env, name);
  io.writeStderr(`venc: preset ${name} removed\n`);
}

/** A preset as it is printed, without passwords. */
interface PresetRecord {
  readonly name: string;
  /** A request without an input. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Masks the passwords and keys of a preset. */
function presetRecord(name: string, settings: PresetRecord['settings']): PresetRecord {
  const masked: unknown = JSON.parse(JSON.stringify(settings), (key, value: unknown) =>
    key === 'api_key' ? '***' : typeof value === 'string' ? redact(value) : value,
  );
  return { name, settings: typeof masked === 'object' && masked !== null ? { ...masked } : {} };
}

function settingsText({ output, outputs = output, ...job }: PresetRecord['settings']): string {
  const [first, ...others]: readonly unknown[] = Array.isArray(outputs) ? outputs : [outputs];
  const several = others.length === 0 ? null : `${others.length + 1} outputs`;
  return [...pairs(job), ...(several === null ? pairs(first) : [several])].join(' ');
}

function pairs(settings: unknown): readonly string[] {
  return Object.entries(settings ?? {}).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}
