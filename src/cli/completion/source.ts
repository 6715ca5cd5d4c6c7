import { type ConfigKey, configTable } from '../../config/config.js';
import { outputTable } from '../../shared/settings/index.js';
import type { Setting } from '../../shared/settings/setting.js';
import type { ArgumentNode, CommandNode, FlagNode } from '../command-tree.js';
import type { CompletionQuery } from './protocol.js';

/** A flag at a place of the command line. */
export interface CompletionFlag {
  readonly long: string;
  readonly short: string | null;
  readonly help: string;
  readonly isRepeatable: boolean;
  /** Where its value comes from; null if it takes none. */
  readonly source: CompletionSource | null;
}

/** What can be typed after the words that name a command. */
export interface CompletionContext {
  /** Those words, e.g. `accounts create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly help: string }[];
  readonly args: readonly {
    readonly help: string;
    readonly isVariadic: boolean;
    readonly source: CompletionSource;
  }[];
  readonly flags: readonly CompletionFlag[];
}

/** Where the words come from that may stand in a place. */
export type CompletionSource =
  | { readonly kind: 'words'; readonly args: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  /** `name=value,name=value` of an output: names and values of settings. */
  | { readonly kind: 'settings' }
  /** What only the program knows, by a question to `venc complete-words`. */
  | { readonly kind: 'ask'; readonly question: CompletionQuery }
  /** Nothing is known of it. */
  | { readonly kind: 'none' };

const none: CompletionSource = { kind: 'none' };

/** What the values of flags are, by the words that stand for them in the help. */
const byArgument: Readonly<Record<string, CompletionSource>> = {
  '<file>': { kind: 'files' },
  '<path>': { kind: 'files' },
  '<folder>': { kind: 'folders' },
  '<dir>': { kind: 'folders' },
  '<settings>': { kind: 'settings' },
};

const byFlag: Readonly<Record<string, CompletionSource>> = {
  '--target': { kind: 'ask', question: 'targets' },
  '--preset': { kind: 'ask', question: 'presets' },
  '--account': { kind: 'ask', question: 'accounts' },
  '--label': { kind: 'ask', question: 'labels' },
  '--grouping': { kind: 'ask', question: 'groupings' },
};

/** What the words of commands are, by the names of both. */
const byWord: Readonly<Record<string, CompletionSource>> = {
  'run input': { kind: 'files' },
  'submit input': { kind: 'files' },
  'plan input': { kind: 'files' },
  'input id': { kind: 'ask', question: 'inputs' },
  'output id': { kind: 'ask', question: 'outputs' },
  'cancel id': { kind: 'ask', question: 'active' },
  'resubmit id': { kind: 'ask', question: 'unfinished' },
  ...Object.fromEntries(
    ['show', 'watch', 'wait', 'download', 'rm'].map((name): [string, CompletionSource] => [
      `${name} id`,
      { kind: 'ask', question: 'jobs' },
    ]),
  ),
  'progress id': { kind: 'ask', question: 'followed' },
  ...Object.fromEntries(
    ['show', 'live', 'integration'].map((name): [string, CompletionSource] => [
      `accounts ${name} name`,
      { kind: 'ask', question: 'accounts' },
    ]),
  ),
  'keys revoke id': { kind: 'ask', question: 'keys' },
  'target use name': { kind: 'ask', question: 'targets' },
  'target remove name': { kind: 'ask', question: 'targets' },
  'preset show name': { kind: 'ask', question: 'presets' },
  'preset remove name': { kind: 'ask', question: 'presets' },
  'report kind': { kind: 'words', args: ['all', 'vod', 'live'] },
};

/** What a key may be configured as, where more is known than that it is a text. */
const byConfigKey: { readonly [Key in ConfigKey]?: CompletionSource } = {
  ffmpeg: { kind: 'files' },
  ffprobe: { kind: 'files' },
  data: { kind: 'folders' },
  'files-root': { kind: 'folders' },
  target: { kind: 'ask', question: 'targets' },
};

/** Where the value of a key of the configuration comes from. */
export function configSource(key: ConfigKey): CompletionSource {
  const { choices } = configTable[key];
  return choices === null ? (byConfigKey[key] ?? none) : { kind: 'words', args: choices };
}

/** Where the value of a flag comes from. */
export function flagSource({ long, argument, choices }: FlagNode): CompletionSource {
  if (choices.length > 0) return { kind: 'words', args: choices };
  return byFlag[long] ?? byArgument[argument ?? ''] ?? none;
}

/** Where a word of a command comes from. */
export function argumentSource({ path }: CommandNode, { name, choices }: ArgumentNode): CompletionSource {
  if (choices.length > 0) return { kind: 'words', args: choices };
  return byWord[`${path.join(' ')} ${name}`] ?? none;
}

/** Settings of an output that `--output name=value` takes, and the values of those that are one of a few. */
export function outputSettings(): readonly { readonly name: string; readonly values: readonly string[] }[] {
  return Object.entries<Setting>(outputTable).map(([name, setting]) => ({ name, values: valuesOf(setting) }));
}

function valuesOf(setting: Setting): readonly string[] {
  if (setting.kind === 'boolean') return setting.isSentAsInteger ? ['1', '0'] : ['true', 'false'];
  return setting.kind === 'choice' || setting.kind === 'number-choice' ? setting.choices.map(String) : [];
}
