import { statSync } from 'node:fs';
import type { Command, CommanderError } from 'commander';
import { VencError } from '../../shared/errors.js';
import { helpTopics } from '../help/topics.js';
import { argumentOf, nameOf, optionsAt } from './args.js';
import { commandHint, flagHint, namedCommand, suggestCommand, suggestFlag } from './unknown-args.js';

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
    return suggestFlag(program, args, quotedTextOf(error.message));
  return error.code === 'commander.unknownCommand' ? suggestCommand(program, args) : null;
}

/** Converts an error of Commander to a one-sentence `UsageError` with a hint. */
export function usageError(error: CommanderError, program: Command, args: readonly string[]): VencError {
  const [first = ''] = error.message.replace(/^error: /, '').split('\n');
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
    ? `; one file at a time: for file in ${files.slice(0, 2).join(' ')}${files.length > 2 ? ' ...' : ''}; do ${pathOf(command)} "$file"; done`
    : '; quote an argument that contains spaces';
}

function usageOf(command: Command): string {
  return `${pathOf(command)} ${command.usage()}`;
}

/** The full name of a command, e.g. `venc accounts create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
