import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findAccountPresets, requestPreset, requestPresets } from '../../client/presets.js';
import {
  presetNames,
  readPreset,
  removePreset as removeOwnPreset,
  savePreset as saveOwnPreset,
} from '../../config/presets.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { redact } from '../../shared/redact.js';
import { isPresetName, presetNameRule, shippedPresetNames } from '../../shared/settings/presets.js';
import { shippedPreset } from '../../shared/settings/shipped-presets.js';
import { presetLine } from '../../shared/text/preset-facts.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import type { FileToUpload } from '../input/files.js';
import {
  addJobOptions,
  buildRequestBody,
  type JobArgs,
  validateRequest,
  withExamplesFirst,
} from '../input/job-args.js';
import { createPresets, unknownPreset } from '../input/presets.js';
import { printRequestWarnings, printResponseWarnings, withTypedErrors } from '../input/typed-request.js';
import { type PrintedPreset, presetPage } from '../output/preset-text.js';
import type { Io } from '../terminal/io.js';
import { addListCommand, type OutputFormatOptions } from '../terminal/print-records.js';
import { warnQuarantined } from '../terminal/report-error.js';

/** `venc preset`: manages saved settings, for `--preset NAME` of `run`, `submit` and `plan`. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  const save = command
    .command('save')
    .description('Save settings under a name. The flags are those of submit.')
    .argument('<name>', '1 to 64 letters, digits or . _ -')
    .option('--force', 'replace the preset that has this name')
    .option(...daemonOption('save it'));
  withExamplesFirst(addJobOptions(save), saveDetails).action(
    context.handler((name: string, options: SaveOptions, self: Context) => {
      const { daemon } = options;
      const presets = createPresets(self.io.env, daemon === true ? self.client : undefined);
      const withChooser = { ...options, presets };
      return withTypedErrors(undefined, withChooser, () => saveSettings(name, withChooser, self));
    }),
  );
  addListCommand<PrintedPreset, PlaceOptions & OutputFormatOptions>(command, context, {
    name: 'presets',
    description: 'List your presets, and those that come with venc.',
    details: formatExamples('venc preset list', 'venc preset list --json --fields name'),
    known: { name: '', source: 'own', summary: null, settings: {} },
    addFlags: (listing) => listing.option(...daemonOption('list those')),
    columns: () => [
      { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
      { title: 'SOURCE', priority: 2, minWidth: 7, text: ({ source }) => source },
      { title: 'SETTINGS', priority: 1, minWidth: 24, text: ({ settings }) => presetLine(settings) },
    ],
    read: list,
  });
  command
    .command('show')
    .description('Explain the settings of a preset. Without a terminal, print it as a request in JSON.')
    .argument('<name>', 'name of the preset')
    .option('--json', 'print a request in JSON, without passwords')
    .option(...daemonOption('show that'))
    .addHelpText('after', formatExamples('venc preset show web', 'venc preset show web --json'))
    .action(context.handler(show));
  command
    .command('remove')
    .description('Remove a preset. One of venc with its name is used again then.')
    .argument('<name>', 'name of the preset')
    .option(...daemonOption('remove that'))
    .addHelpText('after', formatExamples('venc preset remove web'))
    .action(context.handler(remove));
}

/** The option for the presets of a service. */
function daemonOption(what: string): readonly [string, string] {
  return ['--daemon', `${what} of your account at the daemon, which all its clients use`];
}

interface PlaceOptions {
  readonly daemon?: boolean;
}

interface SaveOptions extends JobArgs, PlaceOptions {
  readonly force?: boolean;
}

const details = `
A preset is a request without an input. web, phone, hls, archive, audio and small come with venc. Your own are in the folder presets/
of the configuration, readable only by you, and with --daemon in your account at the daemon. Your own comes before that of the
account, and this before the one of venc.
A request file overrides the preset, a flag overrides both, and --output overrides a flag. A preset with one output applies to
every output; the outputs of a preset with several apply to the outputs in order.

Examples:
  venc preset list
  venc run film.mov --preset small --target-size 8MB
  venc preset save mine --video-codec vp9 --height 720 --quality 4
  venc preset save mine --preset web --height 480 --daemon
  venc submit film.mov --preset mine --quality 5`;

const saveDetails = `
Invalid values are rejected. A local watermark is saved with its absolute path. With --preset the new preset starts from
another one.

Examples:
  venc preset save mine --video-codec vp9 --height 720 --quality 4
  venc preset save ladder --output label=large,height=1080 \\
    --output label=small,height=360
  venc preset save mine --preset web --quality 5 --force
  venc preset save mine --preset web --height 720 --daemon`;

async function saveSettings(name: string, options: SaveOptions, { io, client }: Context) {
  if (!isPresetName(name))
    throw new VencError('UsageError', `The name of a preset has 1 to 64 characters: ${presetNameRule}`);
  const service = options.daemon === true ? await client() : null;
  const saved =
    service === null
      ? await presetNames(io.env)
      : (await requestPresets(service)).flatMap((one) => (one.source === 'account' ? [one.name] : []));
  if (options.force !== true && saved.includes(name)) {
    throw new VencError('UsageError', `There is already a preset ${name}.`, {
      hint: 'replace it with --force, or choose another name',
    });
  }
  const images = new Map<string, FileToUpload>();
  const request = await buildRequestBody({ request: null, input: null }, options, images);
  if (Object.keys(request).length === 0) {
    throw new VencError('UsageError', 'There are no settings to save.', {
      hint: `for example: venc preset save ${name} --video-codec vp9 --height 720`,
    });
  }
  const [image] = images.values();
  if (service !== null && image !== undefined)
    throw new VencError('UsageError', `A daemon cannot read ${image.path}, so its presets cannot name it.`, {
      hint: 'name the file by a URL, or save the preset on this machine, without --daemon',
    });
  await validateRequest({ ...request, input: 'file:///input' });
  await printRequestWarnings(request, { io, typed: { arg: '', args: options } });
  if (service === null)
    warnQuarantined(io, await saveOwnPreset(io.env, name, await withPaths(request, images)));
  else {
    const { savePreset } = await import('../../client/presets.js');
    const answer = await savePreset(service, name, request);
    await printResponseWarnings(answer, request, { io, typed: { arg: '', args: options } });
  }
  const isHidden = service !== null && (await presetNames(io.env)).includes(name);
  const note = isHidden ? `; on this machine, your own preset ${name} comes before it` : '';
  const use =
    service === null ? `venc run film.mov --preset ${name}` : `venc submit film.mov --preset ${name}`;
  io.writeInfo(`venc: preset ${name} saved${note === '' ? `; to use it: ${use}` : note}\n`);
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

async function list({ daemon }: PlaceOptions, { io, client }: Context): Promise<readonly PrintedPreset[]> {
  if (daemon === true) return (await requestPresets(await client())).map(withoutSecrets);
  const names = await presetNames(io.env);
  const own = await Promise.all(names.map((name) => readOwn(name, io)));
  const shipped = shippedPresetNames.flatMap((name) =>
    names.includes(name) ? [] : (shippedRecord(name) ?? []),
  );
  return [...own.flatMap((record) => record ?? []), ...shipped];
}

function shippedRecord(name: string): PrintedPreset | null {
  const shipped = shippedPreset(name);
  return shipped === null ? null : { name, source: 'shipped', ...shipped };
}

/** Reads a preset. Warns and returns null if it cannot be read, so that the others are still listed. */
async function readOwn(name: string, io: Io): Promise<PrintedPreset | null> {
  try {
    return withoutSecrets({ name, source: 'own', summary: null, settings: await readPreset(io.env, name) });
  } catch (error) {
    if (!isVencError(error, 'UsageError')) throw error;
    io.writeStderr(`venc: warning: ${safeText(error.message)}\n`);
    return null;
  }
}

async function show(
  name: string,
  { json, daemon }: PlaceOptions & { readonly json?: boolean },
  { io, client }: Context,
) {
  const preset = daemon === true ? await ofDaemon(client, name) : await ofMachine(name, io);
  await io.writeStdout(
    json === true || !io.isTerminal.stdout
      ? `${jsonText(preset.settings, 2)}\n`
      : io.toTerminalSymbols(await wrapped(presetPage(preset), io)),
  );
}

async function wrapped(text: string, { width }: Io): Promise<string> {
  const { wrapText } = await import('../output/wrap-text.js');
  return wrapText(text, width);
}

async function ofMachine(name: string, io: Io): Promise<PrintedPreset> {
  const names = await presetNames(io.env);
  if (names.includes(name))
    return withoutSecrets({ name, source: 'own', summary: null, settings: await readPreset(io.env, name) });
  const shipped = shippedRecord(name);
  if (shipped !== null) return shipped;
  throw unknownPreset(name, names);
}

async function ofDaemon(client: Context['client'], name: string): Promise<PrintedPreset> {
  const service = await client();
  try {
    return withoutSecrets(await requestPreset(service, name));
  } catch (error) {
    throw await withNames(error, name, service);
  }
}

async function remove(name: string, { daemon }: PlaceOptions, { io, client }: Context) {
  const isShipped = shippedRecord(name) !== null;
  if (daemon === true) {
    const service = await client();
    const { removePreset } = await import('../../client/presets.js');
    await removePreset(service, name).catch(async (error: unknown) => {
      throw await withNames(error, name, service);
    });
  } else {
    if (isShipped && !(await presetNames(io.env)).includes(name))
      throw new VencError('UsageError', `The preset ${name} comes with venc and cannot be removed.`, {
        hint: `a preset of your own with its name comes before it: venc preset save ${name} ...`,
      });
    await removeOwnPreset(io.env, name);
  }
  io.writeInfo(`venc: preset ${name} removed${isShipped ? `; ${name} is that of venc again` : ''}\n`);
}

/** The error for a preset that the service does not have, with the names that it has. */
async function withNames(
  error: unknown,
  name: string,
  service: Awaited<ReturnType<Context['client']>>,
): Promise<unknown> {
  if (!isVencError(error, 'NotFoundError')) return error;
  return unknownPreset(
    name,
    (await findAccountPresets(service)).map((one) => one.name),
  );
}

/** Masks the passwords and keys of a preset. */
function withoutSecrets(preset: PrintedPreset): PrintedPreset {
  const masked: unknown = JSON.parse(JSON.stringify(preset.settings), (key, value: unknown) =>
    key === 'api_key' ? '***' : typeof value === 'string' ? redact(value) : value,
  );
  return { ...preset, settings: typeof masked === 'object' && masked !== null ? { ...masked } : {} };
}
