import type { Command } from 'commander';
import { invalidRequest, VencError } from '../../shared/errors.js';
import { parseFlags, parseOutputFlag, settingFlags } from '../../shared/settings/flags.js';
import { mergeRequest } from '../../shared/settings/merge-request.js';
import { outputListOf, resolvePresets } from '../../shared/settings/presets.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { isObject } from '../../shared/util/is-object.js';
import { collectValues } from './args.js';
import { type FileToUpload, readTextFile } from './files.js';
import { hasLadder, type LadderArgs, withLadder } from './ladder-flags.js';
import { type ChoosePreset, createPresets, presetsOfOutputs } from './presets.js';

/** Options that describe the outputs: `--output`, `--preset`, and one for each setting. */
export interface JobArgs extends LadderArgs {
  readonly output?: readonly string[];
  /** The name of a preset. */
  readonly preset?: string;
  /** Finds the presets that the flags and the request name; without it, only those of this machine. */
  readonly presets?: ChoosePreset;
  readonly [attribute: string]: unknown;
}

/** Options of a command that creates a job. */
export type CreateArgs = JobArgs & { readonly out?: readonly string[]; readonly xml?: boolean };

/** The parts of a request that the flags override. */
interface RequestBase {
  /** Null without a request. */
  readonly request: RequestFields | null;
  /** The URL of the input; null if the request has it or it is not known yet. */
  readonly input: string | null;
  /** Caption files to add to those of the flags. */
  readonly captions?: readonly RequestFields[];
}

/** The headings of the flags in the help. */
const headings = { job: 'Job settings:', output: 'Output settings (for every output):' } as const;

/**
 * Settings that only a daemon has a use for: notifications are retried for days, and only a queue has an order and a
 * choice of machines. `run` and `plan` have no flags for them.
 */
export const daemonSettings: readonly string[] = ['notifications', 'priority', 'requires'];

/** The arguments of the option that adds the subtitle files next to an input. */
export const sidecarOption = [
  '--sidecar-subtitles',
  'take subtitle files next to it, such as film.de.srt',
] as const;

/** Adds `--output`, `--preset` and the flags of all settings (section 4.1) except `withoutFlag`. */
export function addJobOptions(command: Command, withoutFlag: readonly string[] = []): Command {
  command.option(
    '--output <settings>',
    'one output: name=value,name=value, or {json}, or @FILE with either; repeatable',
    collectValues,
  );
  command.option('--preset <name>', 'start from a preset; venc preset list shows them');
  for (const { flag, name, argument, negation, help, repeatable, path } of settingFlags()) {
    if (withoutFlag.includes(name)) continue;
    const option = command.createOption(argument === null ? flag : `${flag} ${argument}`, help);
    command.addOption((repeatable ? option.argParser(collectValues) : option).helpGroup(headings[path]));
    if (negation !== null) command.addOption(command.createOption(negation).hideHelp());
  }
  return command;
}

/** Adds `details` to a help page: its examples before everything else, the rest after the flags. */
export function withExamplesFirst(command: Command, details: string): Command {
  const [notes = '', examples = ''] = details.split(/\n+Examples:\n/);
  return command
    .addHelpText('before', `Examples:\n${examples}\n`)
    .addHelpText('after', `${notes}\n\n${settingsHint}`);
}

const settingsHint = `Settings are flags and names in --output: --video-codec vp9, --size 1280x720, --quality 4. venc help settings lists them with
ranges and defaults.`;

/**
 * Merges a request, an input, presets and the flags into the body of a create. Local watermarks in flags or presets
 * become `file:` URLs, which are added to `images` with their paths. In a request file they must be URLs, because its
 * author may not know this machine. Rejects with `UsageError` if a flag is invalid, a file cannot be read, or there is
 * no preset of a name.
 */
export async function buildRequestBody(
  base: RequestBase,
  args: JobArgs,
  images: Map<string, FileToUpload> = new Map(),
): Promise<Record<string, unknown>> {
  return (await buildRequest(base, args, images)).body;
}

/** A request with the settings of its presets, and as it is sent. */
interface BuiltRequest {
  readonly body: Record<string, unknown>;
  /** The same as `body`, or with the names of its presets if the service knows them all. */
  readonly sent: Record<string, unknown>;
}

/** Like {@link buildRequestBody}; presets that are saved at the service can be sent by their names. */
export async function buildRequest(
  { request, input, captions = [] }: RequestBase,
  args: JobArgs,
  images: Map<string, FileToUpload> = new Map(),
): Promise<BuiltRequest> {
  const { presets = createPresets({}) } = args;
  const flags = parseFlags(args);
  const [outputFlags = {}, ...outputs] = await Promise.all(
    [
      withCaptions(flags.outputFlags, captions),
      ...(await Promise.all((args.output ?? []).map(readOutput))),
    ].map(async (settings) => (hasLocalFiles(settings) ? withLocalWatermarks(settings, images) : settings)),
  );
  const { preset = null } = { ...request, ...(args.preset === undefined ? {} : { preset: args.preset }) };
  const ofJob = typeof preset === 'string' ? await presets(preset) : null;
  const count = ofJob === null ? 0 : outputListOf(ofJob.settings).length;
  const named = mergeRequest({
    // The flags apply to each output of the preset.
    preset: count > 1 ? { outputs: Array.from({ length: count }, () => ({})) } : null,
    file: request,
    jobFlags: {
      ...(input === null ? {} : { input }),
      ...flags.jobFlags,
      ...(ofJob === null ? {} : { preset: ofJob.name }),
    },
    outputFlags,
    outputs,
  });
  const chosen = [
    ...(ofJob === null ? [] : [ofJob]),
    ...(await Promise.all(presetsOfOutputs(named).map((name) => presets(name)))),
  ];
  if (chosen.length === 0) {
    const body = await withLadder(named, args, request !== null);
    return { body, sent: body };
  }
  const settings = new Map<string, RequestFields>();
  for (const one of chosen) settings.set(one.name, await withPresetWatermarks(one.settings, images));
  const lookup = { find: (name: string) => settings.get(name) ?? null, names: [...settings.keys()] };
  const { body: resolved, validationErrors } = resolvePresets(named, lookup);
  if (validationErrors.length > 0) throw invalidRequest(validationErrors);
  const body = await withLadder(isObject(resolved) ? { ...resolved } : {}, args, request !== null, {
    name: ofJob?.name ?? '',
    typed: new Set(Object.keys(outputFlags)),
  });
  const isByName = chosen.every(({ source }) => source === 'account') && !hasLadder(args);
  return { body, sent: isByName ? named : body };
}

function withCaptions(settings: RequestFields, captions: readonly RequestFields[]): RequestFields {
  if (captions.length === 0) return settings;
  const { caption_url: given = [] } = settings;
  return { ...settings, caption_url: [...(Array.isArray(given) ? given : [given]), ...captions] };
}

/** Rejects with `InvalidRequestError` if the request has invalid values. */
export async function validateRequest(request: RequestFields): Promise<void> {
  const { parseJobRequest: readJobRequest } = await import('../../shared/settings/parse-job-request.js');
  const result = readJobRequest(request, { maxOutputs: Number.POSITIVE_INFINITY });
  if (!result.ok) throw invalidRequest(result.validationErrors);
}

/** Whether settings may name local files. */
function hasLocalFiles(settings: RequestFields): boolean {
  const names = ['watermark', 'watermarks', 'caption_url', 'captions_url', 'cover'];
  return names.some((name) => settings[name] !== undefined);
}

async function withLocalWatermarks(settings: RequestFields, images: Map<string, FileToUpload>) {
  const { toWatermarkUrls } = await import('./local-watermarks.js');
  return toWatermarkUrls(settings, images);
}

async function withPresetWatermarks(preset: RequestFields, images: Map<string, FileToUpload>) {
  const { toOutputWatermarkUrls } = await import('./local-watermarks.js');
  return toOutputWatermarkUrls(preset, images);
}

async function readOutput(text: string, index: number, all: readonly string[]): Promise<RequestFields> {
  return parseOutputFlag(
    await readOutputArgument(text),
    all.length > 1 ? `--output ${index + 1}` : '--output',
  );
}

/**
 * The value of `--output`, or the content of the file that `@FILE` names. Rejects with `UsageError` if the file cannot
 * be read.
 */
export async function readOutputArgument(arg: string): Promise<string> {
  if (!arg.startsWith('@')) return arg;
  const path = arg.slice(1);
  if (path === '') throw new VencError('UsageError', '--output @FILE needs a file name.');
  return (await readTextFile(path)).trim();
}
