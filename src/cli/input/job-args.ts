import type { Command } from 'commander';
import type { Environment } from '../../config/folders.js';
import { invalidRequest, VencError } from '../../shared/errors.js';
import { parseFlags, parseOutputFlag, settingFlags } from '../../shared/settings/flags.js';
import { mergeRequest } from '../../shared/settings/merge-request.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { collectValues } from './args.js';
import { type FileToUpload, readTextFile } from './files.js';
import { type LadderArgs, withLadder } from './ladder-flags.js';

/** Options that describe the outputs: `--output`, `--preset`, and one for each setting. */
export interface JobArgs extends LadderArgs {
  readonly output?: readonly string[];
  /** The name of a preset. */
  readonly preset?: string;
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
  /** The preset of `--preset`, from `loadPreset`; null if there is none. */
  readonly preset: RequestFields | null;
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
  command.option('--preset <name>', 'start from the settings saved by venc preset save');
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
 * The preset of `--preset`; null if there is none. Rejects with `UsageError` if the preset does not exist or cannot be
 * read.
 */
export async function loadPreset({ preset }: JobArgs, env: Environment): Promise<RequestFields | null> {
  if (preset === undefined) return null;
  const { readPreset } = await import('../../config/presets.js');
  return readPreset(env, preset);
}

/**
 * Merges a request, an input, a preset and the flags into the body of a create. Local watermarks in flags or presets
 * become `file:` URLs, which are added to `images` with their paths. In a request file they must be URLs, because its
 * author may not know this machine. Rejects with `UsageError` if a flag is invalid or a file cannot be read.
 */
export async function buildRequestBody(
  { request, input, preset, captions = [] }: RequestBase,
  args: JobArgs,
  images: Map<string, FileToUpload> = new Map(),
): Promise<Record<string, unknown>> {
  const flags = parseFlags(args);
  const { jobFlags } = flags;
  const [outputFlags = {}, ...outputs] = await Promise.all(
    [
      withCaptions(flags.outputFlags, captions),
      ...(await Promise.all((args.output ?? []).map(readOutput))),
    ].map(async (settings) => (hasLocalFiles(settings) ? withLocalWatermarks(settings, images) : settings)),
  );
  const inputField = input === null ? {} : { input };
  const body = mergeRequest({
    preset: preset === null ? null : await withPresetWatermarks(preset, images),
    file: request,
    jobFlags: { ...inputField, ...jobFlags },
    outputFlags,
    outputs,
  });
  return withLadder(body, args, request !== null);
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
