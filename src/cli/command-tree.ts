import { EventEmitter } from 'node:events';
import type { Argument, Command, Option } from 'commander';
import { settingFlags } from '../shared/settings/flags.js';
import { commandTable } from './command-table.js';
import { createContext } from './context.js';
import { summaryOf } from './help/help-text.js';
import { collectValues } from './input/args.js';
import { addCommand, createProgram } from './program.js';
import type { Io } from './terminal/io.js';

/** A word that a command takes in its place. */
export interface ArgumentNode {
  /** As the help has it between brackets, e.g. `id`. */
  readonly name: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  /** The words that it may be; none if it is not one of a few. */
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
  /** The words that its value may be; none if it is not one of a few. */
  readonly choices: readonly string[];
  readonly isRepeatable: boolean;
  /** It is left out of help pages, as `--no-test` is. */
  readonly isHidden: boolean;
  /** The heading that it stands under in the help; null for the command's own. */
  readonly heading: string | null;
}

/** A command as its help tells it, as data. The first one of a tree is the program. */
export interface CommandNode {
  /** The words that name it, e.g. `accounts create`; none for the program. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly args: readonly ArgumentNode[];
  readonly flags: readonly FlagNode[];
  readonly commands: readonly CommandNode[];
  /** What its help says below the flags: remarks and examples. */
  readonly details: string;
}

/** Reads a command, with all below it, into data. */
export function commandTree(command: Command): CommandNode {
  return nodeOf(command, [], new Map(settingFlags().map(({ flag, choices }) => [flag, choices])));
}

/** The values that the flags of settings take, by flag. */
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
  const contrary = `the contrary of --${long.replace(/^--no-/, '')}`;
  return {
    long,
    short: option.short ?? null,
    argument: /[<[].*$/.exec(option.flags)?.[0] ?? null,
    help:
      option.hidden && option.description === '' ? contrary : command.createHelp().optionDescription(option),
    choices: option.argChoices ?? settingChoices(option, choices) ?? choicesOf(option.parseArg),
    isRepeatable: option.parseArg === collectValues,
    isHidden: option.hidden,
    heading: option.helpGroupHeading ?? null,
  };
}

/** Flags of settings have a heading in the help; the tables of the settings say what values they take. */
function settingChoices({ long, helpGroupHeading }: Option, choices: SettingChoices) {
  return helpGroupHeading === undefined ? undefined : choices.get(long ?? '');
}

function choicesOf(parser: unknown): readonly string[] {
  if (typeof parser !== 'function' || !('choices' in parser) || !Array.isArray(parser.choices)) return [];
  return parser.choices.map(String);
}

/** Commander keeps the texts around a help page as listeners, and gives them out in no other way. */
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

/** The program with all commands loaded, for completions and manual pages. It cannot be run. */
export async function loadFullProgram(io: Io): Promise<Command> {
  const program = createProgram(io);
  const context = createContext(io, () => ({}));
  for (const [name, { summary, load }] of Object.entries(commandTable)) {
    const loaded = await load();
    loaded.define(addCommand(program, name, summary), context);
  }
  return program;
}
