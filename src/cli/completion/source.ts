import { type ConfigKey, configTable } from '../../config/config.js';
import { outputTable } from '../../shared/settings/index.js';
import type { Setting } from '../../shared/settings/setting.js';
import type { CommandNode, FlagNode, WordNode } from '../command-tree.js';
import type { Question } from './questions.js';

/** Where the words come from that may stand in a place. */
export type Source =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  /** `name=value,name=value` of an output: names and values of settings. */
  | { readonly kind: 'settings' }
  /** What only the program knows, by a question to `venc complete-words`. */
  | { readonly kind: 'ask'; readonly what: Question }
  /** Nothing is known of it. */
  | { readonly kind: 'none' };

const none: Source = { kind: 'none' };

/** What the values of flags are, by the words that stand for them in the help. */
const byArgument: Readonly<Record<string, Source>> = {
  '<file>': { kind: 'files' },
  '<path>': { kind: 'files' },
  '<folder>': { kind: 'folders' },
  '<dir>': { kind: 'folders' },
  '<settings>': { kind: 'settings' },
};

const byFlag: Readonly<Record<string, Source>> = {
  '--target': { kind: 'ask', what: 'targets' },
  '--preset': { kind: 'ask', what: 'presets' },
  '--account': { kind: 'ask', what: 'accounts' },
  '--label': { kind: 'ask', what: 'labels' },
  '--grouping': { kind: 'ask', what: 'groupings' },
};

/** What the words of commands are, by the names of both. */
const byWord: Readonly<Record<string, Source>> = {
  'run input': { kind: 'files' },
  'submit input': { kind: 'files' },
  'plan input': { kind: 'files' },
  'input id': { kind: 'ask', what: 'inputs' },
  'output id': { kind: 'ask', what: 'outputs' },
  'cancel id': { kind: 'ask', what: 'active' },
  'resubmit id': { kind: 'ask', what: 'unfinished' },
  ...Object.fromEntries(
    ['show', 'watch', 'wait', 'download', 'rm'].map((name): [string, Source] => [
      `${name} id`,
      { kind: 'ask', what: 'jobs' },
    ]),
  ),
  'progress id': { kind: 'ask', what: 'followed' },
  ...Object.fromEntries(
    ['show', 'live', 'integration'].map((name): [string, Source] => [
      `accounts ${name} name`,
      { kind: 'ask', what: 'accounts' },
    ]),
  ),
  'keys revoke id': { kind: 'ask', what: 'keys' },
  'target use name': { kind: 'ask', what: 'targets' },
  'target remove name': { kind: 'ask', what: 'targets' },
  'preset show name': { kind: 'ask', what: 'presets' },
  'preset remove name': { kind: 'ask', what: 'presets' },
  'report kind': { kind: 'words', words: ['all', 'vod', 'live'] },
};

/** What a key may be configured as, where more is known than that it is a text. */
const byConfigKey: { readonly [Key in ConfigKey]?: Source } = {
  ffmpeg: { kind: 'files' },
  ffprobe: { kind: 'files' },
  data: { kind: 'folders' },
  'files-root': { kind: 'folders' },
  target: { kind: 'ask', what: 'targets' },
};

/** Where the value of a key of the configuration comes from. */
export function configSource(key: ConfigKey): Source {
  const { choices } = configTable[key];
  return choices === null ? (byConfigKey[key] ?? none) : { kind: 'words', words: choices };
}

/** Where the value of a flag comes from. */
export function flagSource({ long, argument, choices }: FlagNode): Source {
  if (choices.length > 0) return { kind: 'words', words: choices };
  return byFlag[long] ?? byArgument[argument ?? ''] ?? none;
}

/** Where a word of a command comes from. */
export function wordSource({ path }: CommandNode, { name, choices }: WordNode): Source {
  if (choices.length > 0) return { kind: 'words', words: choices };
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
