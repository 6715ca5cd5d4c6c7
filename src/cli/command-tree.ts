import { EventEmitter } from 'node:events';
import type { Argument, Command, Option } from 'commander';
import { settingFlags } from '../shared/settings/flags.js';
import { commandTable } from './command-table.js';
import { createContext } from './context.js';
import { collectValues } from './input/args.js';
import { addCommand, createProgram, summaryOf } from './program.js';
import type { Io } from './terminal/io.js';

/** A positional argument of a command. */
export interface ArgumentNode {
  /** Its name as the help shows it, without brackets, e.g. `id`. */
  readonly name: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  /** The allowed values; empty if any value is allowed. */
  readonly choices: readonly string[];
}

/** A flag of a command. */
export interface FlagNode {
  /** E.g. `--state`. */
  readonly long: string;
  /** E.g. `-y`; null if it has none. */
  readonly short: string | null;
  /** Its value as the help shows it, e.g. `<state>`; null if it takes none. */
  readonly argument: string | null;
  readonly help: string;
  /** The allowed values; empty if any value is allowed. */
  readonly choices: readonly string[];
  readonly isRepeatable: boolean;
  /** Whether help pages leave it out, like `--no-test`. */
  readonly isHidden: boolean;
  /** Its heading in the help; null for the flags of the command itself. */
  readonly heading: string | null;
}

/** The help of a command as data. The root of a tree is the program. */
export interface CommandNode {
  /** The names that lead to it, e.g. `accounts`, `create`; empty for the program. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly args: readonly ArgumentNode[];
  readonly flags: readonly FlagNode[];
  readonly commands: readonly CommandNode[];
  /** The rest of its help below the flags: notes and examples. */
  readonly details: string;
}

/** Converts a command and its subcommands to data. */
export function commandTree(command: Command): CommandNode {
  return nodeOf(command, [], new Map(settingFlags().map(({ flag, choices }) => [flag, choices])));
}

/** The allowed values of the flags of settings, by flag. */
type SettingChoices = ReadonlyMap<string, readonly string[]>;

function nodeOf(command: Command, path: readonly string[], choices: SettingChoices): CommandNode {
  return {
    path,
    summary: summaryOf(command),
    description: command.description(),
    args: command.registeredArguments.map((arg) => toArgumentNode(command, arg)),
    flags: command.options.map((option) => flagNode(command, option, choices)),
    commands: command.commands.map((one) => nodeOf(one, [...path, one.name()], choices)),
    details: detailsOf(command),
  };
}

function toArgumentNode(command: Command, arg: Argument): ArgumentNode {
  return {
    name: arg.name(),
    help: command.createHelp().argumentDescription(arg),
    isRequired: arg.required,
    isVariadic: arg.variadic,
    choices: arg.argChoices ?? choicesOf(arg.parseArg),
  };
}

function flagNode(command: Command, option: Option, choices: SettingChoices): FlagNode {
  const long = option.long ?? option.flags;
  const opposite = `the opposite of --${long.replace(/^--no-/, '')}`;
  return {
    long,
    short: option.short ?? null,
    argument: /[<[].*$/.exec(option.flags)?.[0] ?? null,
    help:
      option.hidden && option.description === '' ? opposite : command.createHelp().optionDescription(option),
    choices: option.argChoices ?? settingChoices(option, choices) ?? choicesOf(option.parseArg),
    isRepeatable: option.parseArg === collectValues,
    isHidden: option.hidden,
    heading: option.helpGroupHeading ?? null,
  };
}

/** Only flags of settings have a heading in the help. Their values come from the tables of the settings. */
function settingChoices({ long, helpGroupHeading }: Option, choices: SettingChoices) {
  return helpGroupHeading === undefined ? undefined : choices.get(long ?? '');
}

function choicesOf(parser: unknown): readonly string[] {
  if (typeof parser !== 'function' || !('choices' in parser) || !Array.isArray(parser.choices)) return [];
  return parser.choices.map(String);
}

/** Commander stores additional help texts as event listeners and has no other way to read them. */
function detailsOf(command: Command): string {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  if (command instanceof EventEmitter) {
    command.emit('afterHelp', { error: false, command, write });
    command.emit('beforeHelp', { error: false, command, write });
  }
  return text.trim();
}

/**
 * The program with its commands, as data for completions and manual pages. It cannot be run. Only the commands that
 * `isWanted` selects have their arguments and flags.
 */
export async function loadProgram(
  io: Io,
  isWanted: (name: string) => boolean = () => true,
): Promise<Command> {
  const program = createProgram(io);
  const context = createContext(io, () => ({}));
  for (const [name, { summary, load }] of Object.entries(commandTable)) {
    const command = addCommand(program, name, summary);
    if (isWanted(name)) (await load()).define(command, context);
  }
  return program;
}
