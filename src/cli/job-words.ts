import type { Command } from 'commander';
import { VencError } from '../api/errors.js';
import { type RequestFields, readOutputFlag } from '../api/settings/flag-values.js';
import { readFlags, settingFlags } from '../api/settings/flags.js';
import { mergeRequest } from '../api/settings/merge-request.js';
import { type FileToUpload, readTextFile } from './files.js';
import { gather } from './words.js';

/** Options that say what to make of an input: `--output`, and one for each setting. */
export interface JobWords {
  readonly output?: readonly string[];
  readonly [attribute: string]: unknown;
}

/** Words of a command that creates a job. */
export type CreateWords = JobWords & { readonly out?: readonly string[]; readonly xml?: boolean };

/** Headings that the flags stand under in the help. */
const headings = { job: 'Job settings:', output: 'Output settings (for every output):' } as const;

/** Adds `--output` and the flags of all settings (section 4.1), but for those settings that the command does without. */
export function addJobWords(command: Command, withoutFlag: readonly string[] = []): Command {
  command.option(
    '--output <settings>',
    'one output: name=value,name=value, or {json}, or @FILE with either; repeatable',
    gather,
  );
  for (const { flag, name, argument, negation, help, repeatable, path } of settingFlags()) {
    if (withoutFlag.includes(name)) continue;
    const option = command.createOption(argument === null ? flag : `${flag} ${argument}`, help);
    command.addOption((repeatable ? option.argParser(gather) : option).helpGroup(headings[path]));
    if (negation !== null) command.addOption(command.createOption(negation).hideHelp());
  }
  return command;
}

/** Adds what a help page says beside its flags: the examples of `details` before all else, the rest behind the flags. */
export function withExamplesFirst(command: Command, details: string): Command {
  const [notes = '', examples = ''] = details.split(/\n+Examples:\n/);
  return command
    .addHelpText('before', `Examples:\n${examples}\n`)
    .addHelpText('after', `${notes}\n\n${settingsHint}`);
}

const settingsHint = `Settings are flags as well, and names in --output name=value: --video-codec vp9, --size 1280x720, --quality 4, --start-clip 1:30.
venc help settings lists all of them with ranges and defaults.`;

/**
 * The body of a create, put together of a request (null without one), an input and the words of the command line. Local watermarks
 * that the words name become `file:` URLs, and stand in `pictures` with their paths where one is given: in a request they are URLs, as
 * who wrote it may know nothing of this machine. Rejects with `UsageError` where a word makes no sense or a file cannot be read.
 */
export async function requestOf(
  request: RequestFields | null,
  input: string | null,
  words: JobWords,
  pictures: Map<string, FileToUpload> = new Map(),
): Promise<Record<string, unknown>> {
  const flags = readFlags(words);
  const { jobFlags } = flags;
  const [outputFlags = {}, ...outputs] = await Promise.all(
    [flags.outputFlags, ...(await Promise.all((words.output ?? []).map(readOutput)))].map(async (settings) =>
      hasWatermarks(settings) ? withLocalWatermarks(settings, pictures) : settings,
    ),
  );
  const inputField = input === null ? {} : { input };
  return mergeRequest({ file: request, jobFlags: { ...inputField, ...jobFlags }, outputFlags, outputs });
}

function hasWatermarks(settings: RequestFields): boolean {
  return settings.watermark !== undefined || settings.watermarks !== undefined;
}

async function withLocalWatermarks(settings: RequestFields, pictures: Map<string, FileToUpload>) {
  const { placeWatermarks } = await import('./local-watermarks.js');
  return placeWatermarks(settings, pictures);
}

async function readOutput(text: string, index: number, all: readonly string[]): Promise<RequestFields> {
  return readOutputFlag(await outputText(text), all.length > 1 ? `--output ${index + 1}` : '--output');
}

/** What `--output` was given, or the content of the file that `@FILE` names. Rejects with `UsageError` where that cannot be read. */
export async function outputText(word: string): Promise<string> {
  if (!word.startsWith('@')) return word;
  const path = word.slice(1);
  if (path === '') throw new VencError('UsageError', '--output @FILE needs the name of a file.');
  return (await readTextFile(path)).trim();
}
