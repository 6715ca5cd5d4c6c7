import { type ConfigKey, configKeys, configTable } from '../../config/config.js';
import { outputTable } from '../../shared/settings/index.js';
import { kindOf } from '../../shared/settings/kinds/groups.js';
import type { Setting } from '../../shared/settings/setting.js';
import type { CommandNode, FlagNode } from '../command-tree.js';
import type { CompletionItem, CompletionQuery } from './lookup.js';

/** Where the words for a place come from: known words, files, the settings of an output, or a lookup. */
export type CompletionSource = readonly CompletionItem[] | 'files' | 'folders' | 'settings' | CompletionQuery;

/** The sources of the values of flags, by the flag or by the placeholder in the help. */
const flagSources: Readonly<Record<string, CompletionSource>> = {
  '--target': 'targets',
  '--preset': 'presets',
  '--account': 'accounts',
  '--label': 'labels',
  '--grouping': 'groupings',
  '<file>': 'files',
  '<path>': 'files',
  '<folder>': 'folders',
  '<dir>': 'folders',
  '<settings>': 'settings',
};

/** The arguments of commands, by source. */
const argumentsBySource: Readonly<Record<string, readonly string[]>> = {
  files: ['run input', 'submit input', 'plan input'],
  folders: ['backup folder', 'restore folder'],
  inputs: ['input id'],
  outputs: ['output id'],
  active: ['cancel id'],
  unfinished: ['resubmit id'],
  jobs: ['show id', 'watch id', 'wait id', 'logs id', 'download id', 'rm id'],
  followed: ['progress id'],
  accounts: ['accounts show name', 'accounts live name', 'accounts integration name'],
  workers: ['workers drain name', 'workers resume name'],
  keys: ['keys revoke id'],
  targets: ['target use name', 'target remove name'],
  presets: ['preset show name', 'preset remove name'],
} satisfies { readonly [Source in CompletionQuery | 'files' | 'folders']?: readonly string[] };

/** The sources of configuration values that are not plain text. */
const configSources: { readonly [Key in ConfigKey]?: CompletionSource } = {
  ffmpeg: 'files',
  ffprobe: 'files',
  data: 'folders',
  'files-root': 'folders',
  target: 'targets',
};

/** The source of the value of a flag. */
export function flagSource({ long, argument, choices }: FlagNode): CompletionSource {
  if (choices.length > 0) return plain(choices);
  return flagSources[long] ?? flagSources[argument ?? ''] ?? [];
}

/** The source of the next argument of a command, behind the arguments `before`. */
export function argumentSource({ path, args }: CommandNode, before: readonly string[]): CompletionSource {
  const command = path.join(' ');
  if (command === 'config get' || command === 'config set') return configSource(command, before);
  const arg = args[before.length] ?? (args.at(-1)?.isVariadic ? args.at(-1) : undefined);
  if (arg === undefined) return [];
  if (arg.choices.length > 0) return plain(arg.choices);
  const isHere = ([, places]: readonly [string, readonly string[]]) =>
    places.includes(`${command} ${arg.name}`);
  // The keys of the table are sources, which its type checks.
  return (Object.entries(argumentsBySource).find(isHere)?.[0] as CompletionSource | undefined) ?? [];
}

function configSource(command: string, [key, ...others]: readonly string[]): CompletionSource {
  if (key === undefined)
    return configKeys.map((word) => ({ word, about: shortHelp(configTable[word].help) }));
  const known = configKeys.find((one) => one === key);
  if (known === undefined || others.length > 0 || command === 'config get') return [];
  return configTable[known].choices === null
    ? (configSources[known] ?? [])
    : plain(configTable[known].choices ?? []);
}

/** The settings that `--output name=value` accepts, or the values of the setting `name`. */
export function settingWords(name: string | null): readonly string[] {
  const all = Object.entries<Setting>(outputTable).filter(([, { kind }]) => kind !== 'unchecked');
  if (name === null) return all.map(([one]) => one);
  const setting = all.find(([one]) => one === name)?.[1];
  return setting === undefined ? [] : (kindOf(setting).words?.(setting) ?? []);
}

/** The start of a help text without ranges and defaults, because shells show it next to each completion. */
export function shortHelp(help: string): string {
  const short = help.replace(/ \([^()]*(?:\([^()]*\)[^()]*)*\)$/, '');
  return short.length > 72 ? `${short.slice(0, 69).trimEnd()}...` : short;
}

/** Words without descriptions. */
function plain(words: readonly string[]): readonly CompletionItem[] {
  return words.map((word) => ({ word, about: '' }));
}
