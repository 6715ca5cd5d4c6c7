import { type ConfigKey, configTable } from '../../config/config.js';
import { choicesOf } from '../../shared/settings/flags.js';
import { outputTable } from '../../shared/settings/index.js';
import type { Setting } from '../../shared/settings/setting.js';
import type { ArgumentNode, CommandNode, FlagNode } from '../command-tree.js';
import type { CompletionQuery } from './protocol.js';

/** A flag that a context accepts. */
export interface CompletionFlag {
  readonly long: string;
  readonly short: string | null;
  readonly help: string;
  readonly isRepeatable: boolean;
  /** Where its value comes from; null if it takes none. */
  readonly source: CompletionSource | null;
}

/** What can follow the names of a command. */
export interface CompletionContext {
  /** The names, e.g. `accounts create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly help: string }[];
  readonly args: readonly {
    readonly help: string;
    readonly isVariadic: boolean;
    readonly source: CompletionSource;
  }[];
  readonly flags: readonly CompletionFlag[];
}

/** Where the completions of an argument come from. */
export type CompletionSource =
  | { readonly kind: 'words'; readonly args: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  /** `name=value,name=value` of an output: names and values of settings. */
  | { readonly kind: 'settings' }
  /** Data that only the program can read, by a query to `venc complete-words`. */
  | { readonly kind: 'query'; readonly query: CompletionQuery }
  /** No completions. */
  | { readonly kind: 'none' };

const none: CompletionSource = { kind: 'none' };

/** The sources of the values of flags, by the placeholder in the help. */
const byArgument: Readonly<Record<string, CompletionSource>> = {
  '<file>': { kind: 'files' },
  '<path>': { kind: 'files' },
  '<folder>': { kind: 'folders' },
  '<dir>': { kind: 'folders' },
  '<settings>': { kind: 'settings' },
};

const byFlag: Readonly<Record<string, CompletionSource>> = {
  '--target': { kind: 'query', query: 'targets' },
  '--preset': { kind: 'query', query: 'presets' },
  '--account': { kind: 'query', query: 'accounts' },
  '--label': { kind: 'query', query: 'labels' },
  '--grouping': { kind: 'query', query: 'groupings' },
};

/** The sources of the arguments of commands, by command and argument name. */
const byCommandArgument: Readonly<Record<string, CompletionSource>> = {
  'run input': { kind: 'files' },
  'submit input': { kind: 'files' },
  'plan input': { kind: 'files' },
  'backup folder': { kind: 'folders' },
  'restore folder': { kind: 'folders' },
  'input id': { kind: 'query', query: 'inputs' },
  'output id': { kind: 'query', query: 'outputs' },
  'cancel id': { kind: 'query', query: 'active' },
  'resubmit id': { kind: 'query', query: 'unfinished' },
  ...Object.fromEntries(
    ['show', 'watch', 'wait', 'logs', 'download', 'rm'].map((name): [string, CompletionSource] => [
      `${name} id`,
      { kind: 'query', query: 'jobs' },
    ]),
  ),
  'progress id': { kind: 'query', query: 'followed' },
  ...Object.fromEntries(
    ['show', 'live', 'integration'].map((name): [string, CompletionSource] => [
      `accounts ${name} name`,
      { kind: 'query', query: 'accounts' },
    ]),
  ),
  'workers drain name': { kind: 'query', query: 'workers' },
  'workers resume name': { kind: 'query', query: 'workers' },
  'keys revoke id': { kind: 'query', query: 'keys' },
  'target use name': { kind: 'query', query: 'targets' },
  'target remove name': { kind: 'query', query: 'targets' },
  'preset show name': { kind: 'query', query: 'presets' },
  'preset remove name': { kind: 'query', query: 'presets' },
  'report kind': { kind: 'words', args: ['all', 'vod', 'live'] },
};

/** The sources of configuration values that are not plain text. */
const byConfigKey: { readonly [Key in ConfigKey]?: CompletionSource } = {
  ffmpeg: { kind: 'files' },
  ffprobe: { kind: 'files' },
  data: { kind: 'folders' },
  'files-root': { kind: 'folders' },
  target: { kind: 'query', query: 'targets' },
};

/** The source of the value of a configuration key. */
export function configSource(key: ConfigKey): CompletionSource {
  const { choices } = configTable[key];
  return choices === null ? (byConfigKey[key] ?? none) : { kind: 'words', args: choices };
}

/** The source of the value of a flag. */
export function flagSource({ long, argument, choices }: FlagNode): CompletionSource {
  if (choices.length > 0) return { kind: 'words', args: choices };
  return byFlag[long] ?? byArgument[argument ?? ''] ?? none;
}

/** The source of an argument of a command. */
export function argumentSource({ path }: CommandNode, { name, choices }: ArgumentNode): CompletionSource {
  if (choices.length > 0) return { kind: 'words', args: choices };
  return byCommandArgument[`${path.join(' ')} ${name}`] ?? none;
}

/** The settings that `--output name=value` accepts, with their allowed values; `values` is empty for others. */
export function outputSettings(): readonly { readonly name: string; readonly values: readonly string[] }[] {
  return Object.entries<Setting>(outputTable)
    .filter(([, { kind }]) => kind !== 'unchecked')
    .map(([name, setting]) => ({ name, values: valuesOf(setting) }));
}

function valuesOf(setting: Setting): readonly string[] {
  if (setting.kind === 'boolean') {
    if (setting.mayBeAuto === true) return ['true', 'false', 'auto'];
    return setting.isSentAsInteger ? ['1', '0'] : ['true', 'false'];
  }
  return choicesOf(setting);
}
