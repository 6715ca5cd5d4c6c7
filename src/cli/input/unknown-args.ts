import type { Command } from 'commander';
import { nearMisses } from '../../shared/text/suggestions.js';
import { optionsAt } from './option-names.js';
import { commandFlagSynonyms, commandSynonyms, flagHints, flagSynonyms, type Synonym } from './synonyms.js';

/** The innermost command that some words name, and where its own words begin. */
export interface NamedCommand {
  readonly command: Command;
  readonly index: number;
}

/** Finds the innermost command that the words name. */
export function namedCommand(program: Command, words: readonly string[]): NamedCommand {
  let command = program;
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') break;
    if (word.startsWith('-')) {
      if (takesNext(command, word)) index += 1;
      continue;
    }
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    command = inner;
  }
  return { command, index };
}

/**
 * The words with an unknown flag replaced by the one that it stands for, where there is exactly one meaning; null otherwise. `--codec vp9`
 * becomes `--video-codec vp9`, and `run --dry-run` becomes `plan`.
 */
export function withFlagMeant(
  program: Command,
  words: readonly string[],
  typed: string,
): readonly string[] | null {
  const { command } = namedCommand(program, words);
  const [name = ''] = typed.split('=');
  if (command.name() === 'run' && typed === '--dry-run') return asPlan(words);
  if (command === program && typed === '-v' && words.length === 1) return ['--version'];
  const synonym = flagSynonyms[name];
  const meant = commandFlagSynonyms[`${command.name()} ${name}`] ?? isOf(synonym);
  if (meant === null || !has(command, meant.replace(/=.*$/, ''))) return null;
  const takesValue = !meant.includes('=') && optionsAt(command).find(({ long }) => long === meant)?.required;
  // -q 20 is a quality elsewhere, and --overwrite=yes is no flag of ours.
  if (takesValue !== true && (typed !== name || isNumber(words[words.indexOf(typed) + 1]))) return null;
  return replaced(command, words, (word) => (word === name ? meant : word.replace(`${name}=`, `${meant}=`)));
}

/** The words with an unknown command replaced by the one that it stands for, where there is exactly one meaning; null otherwise. */
export function withCommandMeant(program: Command, words: readonly string[]): readonly string[] | null {
  const { command, index } = namedCommand(program, words);
  const typed = words[index] ?? '';
  // With an id it is about that job; without one it may be about anything.
  const isStatusOfJob = typed === 'status' && command === program && words.length > index + 1;
  const meant = isStatusOfJob ? 'show' : isOf(commandSynonym(typed));
  const isKnown =
    command.commands.some((one) => one.name() === meant) || (command === program && meant === '--version');
  return meant === null || !isKnown ? null : [...words.slice(0, index), meant, ...words.slice(index + 1)];
}

/** What to type instead of a flag that a command does not have; null where nothing comes to mind. */
export function flagHint(command: Command, typed: string): string | null {
  const name = typed.replace(/=.*$/s, '');
  const synonym = flagSynonyms[name];
  const flags = optionsAt(command).flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const said = flagHints[`${command.name()} ${name}`] ?? sentenceOf(synonym, flags);
  if (said !== null) return said;
  const bare = flags.map((flag) => flag.replace(/^--/, ''));
  const isWord = /^--?[a-z]{2}/i.test(name);
  return isWord ? suggestion(nearMisses(name.replace(/^--?/, ''), bare).map((flag) => `--${flag}`)) : null;
}

/** What to type instead of a command that there is not; null where nothing comes to mind. */
export function commandHint(parent: Command, typed: string): string | null {
  const names = parent.commands.map((one) => one.name());
  const synonym = commandSynonym(typed);
  const isTop = parent.parent === null;
  if (synonym !== undefined && (isTop || !('say' in synonym))) {
    const said = sentenceOf(synonym, names);
    if (said !== null) return said;
  }
  return suggestion(nearMisses(typed, names));
}

function sentenceOf(synonym: Synonym | undefined, known: readonly string[]): string | null {
  if (synonym === undefined) return null;
  if ('say' in synonym) return synonym.say;
  const meant = 'is' in synonym ? [synonym.is.replace(/=/, ' ')] : synonym.perhaps;
  return suggestion(meant.filter((word) => known.includes(word.replace(/ .*$/, ''))));
}

function commandSynonym(typed: string): Synonym | undefined {
  return Object.hasOwn(commandSynonyms, typed) ? commandSynonyms[typed] : undefined;
}

function suggestion(words: readonly string[]): string | null {
  return words.length === 0 ? null : `did you mean ${words.join(', ')}?`;
}

function isOf(synonym: Synonym | undefined): string | null {
  return synonym !== undefined && 'is' in synonym ? synonym.is : null;
}

/** `run` as `plan`, without the flags that plan has no use for. */
function asPlan(words: readonly string[]): readonly string[] {
  const commandIndex = words.indexOf('run');
  let isValue = false;
  return words.flatMap((word, index) => {
    const isLeftOut = isValue || ['--dry-run', '--force', '-y', '--overwrite'].includes(word);
    isValue = word === '--progress' || word === '--stall-timeout';
    if (isLeftOut || isValue || /^--(?:progress|stall-timeout)=/.test(word)) return [];
    return index === commandIndex ? ['plan'] : [word];
  });
}

/** The words, each flag of them changed; values of flags, and what follows `--`, stay. */
function replaced(
  command: Command,
  words: readonly string[],
  change: (word: string) => string,
): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.map((word, index) => {
    const isValue = index > 0 && takesNext(command, words[index - 1] ?? '');
    return index >= end || isValue ? word : change(word);
  });
}

function takesNext(command: Command, word: string): boolean {
  return optionsAt(command).some((option) => option.required && [option.long, option.short].includes(word));
}

function has(command: Command, flag: string): boolean {
  return optionsAt(command).some(({ long }) => long === flag);
}

function isNumber(word: string | undefined): boolean {
  return word !== undefined && /^\d+(?:\.\d+)?$/.test(word);
}
