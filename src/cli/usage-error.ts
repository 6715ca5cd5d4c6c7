import type { Command, CommanderError, Option } from 'commander';
import { VencError } from '../api/errors.js';
import { nearMisses } from '../api/near-misses.js';
import { helpTopics } from './help-topics/index.js';

/** What Commander found wrong with the words of a command, in one sentence, and what to type instead. */
export function usageError(error: CommanderError, program: Command, words: readonly string[]): VencError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = /\(Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1];
  const command = namedCommand(program, words);
  const { message, hint } = sayings[error.code]?.(first, command) ?? { message: first, hint: null };
  const meant = suggestion === undefined || message !== first ? hint : `did you mean ${suggestion}?`;
  return new VencError('UsageError', message, { cause: error, ...(meant === null ? {} : { hint: meant }) });
}

/** Refuses flags whose value is empty, as that of `--host "$HOST"` is where there is no such variable. */
export function refuseEmptyValues(command: Command): void {
  const values = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
  for (const option of optionsAt(command)) {
    const value = values[option.attributeName()];
    if (value !== '' && !(Array.isArray(value) && value.includes(''))) continue;
    throw new VencError('UsageError', `${nameOf(option)} takes ${argumentOf(option)}, not an empty text.`);
  }
}

/** Refuses words of `venc help` that name no command, one within another. */
export function refuseUnknownCommands(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) {
      const near = nearMisses(
        word,
        command.commands.map((one) => one.name()),
      );
      const hint =
        near.length === 0 ? `venc help ${command.name()} tells of it` : `did you mean ${near.join(', ')}?`;
      throw new VencError('UsageError', `unknown command '${word}' within ${command.name()}`, { hint });
    }
    command = inner;
  }
}

interface Saying {
  readonly message: string;
  readonly hint: string | null;
}

const sayings: Readonly<Record<string, (message: string, command: Command) => Saying>> = {
  'commander.missingArgument': (message, command) => {
    const missing = /'(.+)'/.exec(message)?.[1];
    const word = command.registeredArguments.find((one) => one.name() === missing);
    const meaning = word === undefined ? '' : `; ${word.name()}: ${word.description}`;
    return { message, hint: `${usageOf(command)}${meaning}` };
  },
  'commander.excessArguments': (message, command) => ({
    message,
    hint: `${usageOf(command)}; a word with blanks in it stands in quotes`,
  }),
  'commander.optionMissingArgument': (message, command) => {
    const flags = /'(.+)'/.exec(message)?.[1];
    const option = optionsAt(command).find((one) => one.flags === flags);
    if (option === undefined) return { message, hint: null };
    return { message: `${nameOf(option)} needs a value: ${argumentOf(option)}.`, hint: option.description };
  },
  'commander.unknownOption': (message, command) => {
    const typed = /'(.+)'/.exec(message)?.[1] ?? '';
    const name = typed.replace(/=.*$/s, '');
    if (name !== typed && optionsAt(command).some(({ long }) => long === name)) {
      return { message: `${name} takes no value.`, hint: null };
    }
    const isName = /^-[^-]./.test(typed);
    const hint = isName
      ? `a name that begins with a dash stands behind --: ${pathOf(command)} -- ${typed}`
      : `${pathOf(command)} --help lists the flags`;
    return { message, hint };
  },
  'commander.unknownCommand': (message, command) => {
    const topic = /'(.+)'/.exec(message)?.[1] ?? '';
    const isTopic = command.parent === null && Object.hasOwn(helpTopics, topic);
    return {
      message,
      hint: isTopic ? `venc help ${topic} tells of them` : `${pathOf(command)} --help lists the commands`,
    };
  },
};

/** The innermost command that the words name. */
function namedCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') break;
    if (word.startsWith('-')) {
      if (optionsAt(command).some((option) => option.required && [option.long, option.short].includes(word)))
        index += 1;
      continue;
    }
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    command = inner;
  }
  return command;
}

function optionsAt(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsAt(command.parent))];
}

function nameOf({ long, flags }: Option): string {
  return long ?? flags;
}

/** The value of an option as its help shows it, e.g. `<state>`. */
function argumentOf({ flags }: Option): string {
  return /[<[].*$/.exec(flags)?.[0] ?? 'a value';
}

function usageOf(command: Command): string {
  return `${pathOf(command)} ${command.usage()}`;
}

/** The words that name a command, e.g. `venc accounts create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
