import { statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Command, CommanderError } from 'commander';
import { VencError } from '../../shared/errors.js';
import { shellLine } from '../../shared/text/shell-words.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import { helpTopics } from '../help/topics.js';
import { argumentOf, nameOf, optionsAt } from './args.js';
import { commandFlagSynonyms, commandSynonyms, flagHints, flagSynonyms, type Synonym } from './synonyms.js';

/**
 * The arguments with the unknown flag or command replaced by its equivalent, if it has exactly one meaning; null
 * otherwise.
 */
export function suggestedArgs(
  error: CommanderError,
  program: Command,
  args: readonly string[],
): readonly string[] | null {
  if (error.code === 'commander.unknownOption')
    return suggestFlag(program, args, quotedTextOf(messageAsTyped(error, args)));
  return error.code === 'commander.unknownCommand' ? suggestCommand(program, args) : null;
}

/** Converts an error of Commander to a one-sentence `UsageError` with a hint. */
export function usageError(error: CommanderError, program: Command, args: readonly string[]): VencError {
  const [first = ''] = messageAsTyped(error, args)
    .replace(/^error: /, '')
    .split('\n');
  const { command, index } = namedCommand(program, args);
  // A command that also runs without a subcommand, as `venc workers` does, has no unknown commands for Commander.
  const isUnknownCommand = error.code === 'commander.excessArguments' && command.commands.length > 0;
  const [code, text] = isUnknownCommand
    ? ['commander.unknownCommand', `unknown command '${args[index]}'`]
    : [error.code, first];
  const { message, hint } = errorRewordings[code]?.(text, command, args.slice(index)) ?? {
    message: text,
    hint: null,
  };
  return new VencError('UsageError', message, { cause: error, ...(hint === null ? {} : { hint }) });
}

/** Throws `UsageError` if the arguments of `venc help` name no command. */
export function rejectUnknownCommands(program: Command, args: readonly string[]): void {
  let command = program;
  for (const arg of args) {
    const inner = command.commands.find((one) => one.name() === arg);
    if (inner === undefined) {
      const hint = commandHint(command, arg) ?? `see venc help ${command.name()}`;
      throw new VencError('UsageError', `unknown command '${arg}' within ${command.name()}`, { hint });
    }
    command = inner;
  }
}

interface ErrorRewording {
  readonly message: string;
  readonly hint: string | null;
}

const errorRewordings: Readonly<
  Record<string, (message: string, command: Command, operands: readonly string[]) => ErrorRewording>
> = {
  'commander.missingArgument': (message, command) => {
    const missing = /'(.+)'/.exec(message)?.[1];
    const arg = command.registeredArguments.find((one) => one.name() === missing);
    const meaning = arg === undefined ? '' : `; ${arg.name()}: ${arg.description}`;
    return { message, hint: `${usageOf(command)}${meaning}` };
  },
  'commander.excessArguments': (message, command, operands) => ({
    message,
    hint: `${usageOf(command)}${excessAdvice(command, operands)}`,
  }),
  'commander.optionMissingArgument': (message, command) => {
    const flags = /'(.+)'/.exec(message)?.[1];
    const option = optionsAt(command).find((one) => one.flags === flags);
    if (option === undefined) return { message, hint: null };
    return { message: `${nameOf(option)} needs a value: ${argumentOf(option)}.`, hint: option.description };
  },
  'commander.unknownOption': (message, command) => {
    const typed = quotedTextOf(message);
    const name = typed.replace(/=.*$/s, '');
    if (name !== typed && optionsAt(command).some(({ long }) => long === name)) {
      return { message: `${name} takes no value.`, hint: null };
    }
    const isName = /^-[^-]./.test(typed);
    const known = flagHint(command, typed);
    if (known !== null) return { message, hint: known };
    const hint = isName
      ? `put a name that begins with a dash after --: ${pathOf(command)} -- ${typed}`
      : `${pathOf(command)} --help lists the flags`;
    return { message, hint };
  },
  'commander.unknownCommand': (message, command) => {
    const typed = quotedTextOf(message);
    if (command.parent === null && Object.hasOwn(helpTopics, typed)) {
      return { message, hint: `see venc help ${typed}` };
    }
    if (command.parent === null && statSync(typed, { throwIfNoEntry: false })?.isFile()) {
      return {
        message,
        hint: `venc run ${typed} encodes the file on this machine, venc submit ${typed} has the service do it`,
      };
    }
    return {
      message,
      hint: commandHint(command, typed) ?? `${pathOf(command)} --help lists the commands`,
    };
  },
};

/** The message of an error with an unknown flag as it was typed: Commander reads `-vn` as `-v` and `-n`. */
function messageAsTyped({ message }: CommanderError, args: readonly string[]): string {
  const rest = /^error: unknown option '-(\w+)'/.exec(message)?.[1];
  if (rest === undefined || args.includes(`-${rest}`)) return message;
  const typed = args.find((arg) => /^-[qv]+\w/.test(arg) && arg.endsWith(rest));
  return typed === undefined ? message : message.replace(`'-${rest}'`, `'${typed}'`);
}

/** The quoted part of a message of Commander. */
function quotedTextOf(message: string): string {
  return /'(.+)'/.exec(message)?.[1] ?? '';
}

/**
 * What to do about arguments that are too many: they are files, the parts of a name with spaces, or nothing that the
 * command takes.
 */
function excessAdvice(command: Command, operands: readonly string[]): string {
  if (command.registeredArguments.length === 0) return '; it takes only flags';
  const files = operands.filter((arg) => statSync(arg, { throwIfNoEntry: false })?.isFile());
  return files.length > 1
    ? `; one file at a time: for file in ${listText(files)}; do ${pathOf(command)} "$file"; done`
    : '; quote an argument that contains spaces';
}

/** Files as the list of a loop of a shell: a pattern for many of one kind, else the first two. */
function listText(files: readonly string[]): string {
  const extension = extname(files[0] ?? '');
  const isPattern =
    extension !== '' && files.every((file) => extname(file) === extension && !file.includes('/'));
  if (files.length > 2 && isPattern) return `*${extension}`;
  return `${shellLine(files.slice(0, 2))}${files.length > 2 ? ' ...' : ''}`;
}

function usageOf(command: Command): string {
  return `${pathOf(command)} ${command.usage()}`;
}

/** The full name of a command, e.g. `venc accounts create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The innermost command that the arguments name, and the index of the first argument after it that is not a
 * flag or the value of one. */
interface NamedCommand {
  readonly command: Command;
  readonly index: number;
}

/** Finds the innermost command that the arguments name. */
function namedCommand(program: Command, args: readonly string[]): NamedCommand {
  let command = program;
  let index = 0;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') break;
    if (arg.startsWith('-')) {
      if (takesNext(command, arg)) index += 1;
      continue;
    }
    const inner = command.commands.find((one) => one.name() === arg);
    if (inner === undefined) break;
    command = inner;
  }
  return { command, index };
}

/**
 * The arguments with an unknown flag replaced by its equivalent, if it has exactly one meaning; null otherwise.
 * `--codec vp9` becomes `--video-codec vp9`, and `run --dry-run` becomes `plan`.
 */
function suggestFlag(program: Command, args: readonly string[], typed: string): readonly string[] | null {
  const { command } = namedCommand(program, args);
  const [name = ''] = typed.split('=');
  if (command.name() === 'run' && typed === '--dry-run') return asPlan(args);
  const synonym = flagSynonyms[name];
  const suggested = commandFlagSynonyms[`${command.name()} ${name}`] ?? isOf(synonym);
  if (suggested === null || !has(command, suggested.replace(/=.*$/, ''))) return null;
  const takesValue =
    !suggested.includes('=') && optionsAt(command).find(({ long }) => long === suggested)?.required;
  // A flag without a value does not replace one that was given a value: -q 20 (a quality in other programs),
  // --overwrite=yes.
  if (takesValue !== true && (typed !== name || isNumber(args[args.indexOf(typed) + 1]))) return null;
  return replaced(command, args, (arg) =>
    arg === name ? suggested : arg.replace(`${name}=`, `${suggested}=`),
  );
}

/** The arguments with an unknown command replaced by its equivalent, if it has exactly one meaning; null otherwise. */
function suggestCommand(program: Command, args: readonly string[]): readonly string[] | null {
  const { command, index } = namedCommand(program, args);
  const typed = args[index] ?? '';
  // With an id, status means that job; without one it is ambiguous.
  const isStatusOfJob = typed === 'status' && command === program && args.length > index + 1;
  const suggested = isStatusOfJob ? 'show' : isOf(commandSynonym(typed));
  const isKnown =
    command.commands.some((one) => one.name() === suggested) ||
    (command === program && suggested === '--version');
  return suggested === null || !isKnown
    ? null
    : [...args.slice(0, index), suggested, ...args.slice(index + 1)];
}

/** A hint for an unknown flag; null if there is no suggestion. */
function flagHint(command: Command, typed: string): string | null {
  const name = typed.replace(/=.*$/s, '');
  const synonym = flagSynonyms[name];
  const flags = optionsAt(command).flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const hintText = flagHints[`${command.name()} ${name}`] ?? sentenceOf(synonym, flags);
  if (hintText !== null) return hintText;
  const bare = flags.map((flag) => flag.replace(/^--/, ''));
  const isLong = /^--?[a-z][a-z\d]/i.test(name);
  return isLong
    ? suggestion(findSuggestions(name.replace(/^--?/, ''), bare).map((flag) => `--${flag}`))
    : null;
}

/** A hint for an unknown command; null if there is no suggestion. */
function commandHint(parent: Command, typed: string): string | null {
  const names = parent.commands.map((one) => one.name());
  const synonym = commandSynonym(typed);
  const isTop = parent.parent === null;
  if (synonym !== undefined && (isTop || !('use' in synonym))) {
    const hintText = sentenceOf(synonym, names);
    if (hintText !== null) return hintText;
  }
  return suggestion(findSuggestions(typed, names));
}

function sentenceOf(synonym: Synonym | undefined, known: readonly string[]): string | null {
  if (synonym === undefined) return null;
  if ('use' in synonym) return synonym.use;
  const suggested = 'is' in synonym ? [synonym.is.replace(/=/, ' ')] : synonym.alternatives;
  return suggestion(suggested.filter((arg) => known.includes(arg.replace(/ .*$/, ''))));
}

function commandSynonym(typed: string): Synonym | undefined {
  return Object.hasOwn(commandSynonyms, typed) ? commandSynonyms[typed] : undefined;
}

function suggestion(args: readonly string[]): string | null {
  return args.length === 0 ? null : `did you mean ${args.join(', ')}?`;
}

function isOf(synonym: Synonym | undefined): string | null {
  return synonym !== undefined && 'is' in synonym ? synonym.is : null;
}

/** The arguments of `run` as those of `plan`, without flags that plan does not have. */
function asPlan(args: readonly string[]): readonly string[] {
  const commandIndex = args.indexOf('run');
  let isValue = false;
  return args.flatMap((arg, index) => {
    const isLeftOut = isValue || ['--dry-run', '--force', '-y', '--overwrite'].includes(arg);
    isValue = arg === '--progress' || arg === '--stall-timeout';
    if (isLeftOut || isValue || /^--(?:progress|stall-timeout)=/.test(arg)) return [];
    return index === commandIndex ? ['plan'] : [arg];
  });
}

/** Applies `change` to the flags. Values of flags and arguments after `--` stay unchanged. */
function replaced(
  command: Command,
  args: readonly string[],
  change: (arg: string) => string,
): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.map((arg, index) => {
    const isValue = index > 0 && takesNext(command, args[index - 1] ?? '');
    return index >= end || isValue ? arg : change(arg);
  });
}

function takesNext(command: Command, arg: string): boolean {
  return optionsAt(command).some((option) => option.required && [option.long, option.short].includes(arg));
}

function has(command: Command, flag: string): boolean {
  return optionsAt(command).some(({ long }) => long === flag);
}

function isNumber(arg: string | undefined): boolean {
  return arg !== undefined && /^\d+(?:\.\d+)?$/.test(arg);
}
