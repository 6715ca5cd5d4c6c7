import { Command, CommanderError, Help } from 'commander';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { productVersion } from '../shared/version.js';
import { type CommandEntry, commandGroups, commandTable, isCommandName } from './command-table.js';
import { createContext, type GlobalFlags } from './context.js';
import { rejectEmptyValues, withJoinedAuto } from './input/args.js';
import { findRequestedCommand, findRequestedIndex } from './input/requested-command.js';
import { wrapText } from './output/wrap-text.js';
import type { Io } from './terminal/io.js';

/**
 * Parses the arguments, runs the command that they name and resolves to its exit code. Rejects with `UsageError` if the
 * arguments are invalid, and with the errors of the command. If the command is the first argument, only it is added.
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<ExitCode> {
  const subjects = helpSubjects(argv);
  const [subject] = subjects ?? [];
  if (subject !== undefined && !isCommandName(subject)) {
    const { printTopic } = await import('./help/topics.js');
    await printTopic(subject, io);
    return exitCodes.done;
  }
  // `venc help list` becomes `venc list --help`, so that only that command is loaded.
  const given = isVersion(argv) ? ['--version'] : argv;
  let args = subjects === null ? given : [...subjects, '--help'];
  const program = createProgram(io);
  const context = createContext(io, () => program.opts<GlobalFlags>());
  const requested = findRequestedCommand(args);
  const isFirst = requested === args[0] && requested !== undefined && isCommandName(requested);
  for (const [name, { summary, group, load }] of Object.entries<CommandEntry>(commandTable)) {
    if (isFirst && name !== requested) continue;
    const command = addCommand(program, name, summary).helpGroup(commandGroups[group]);
    if (name !== requested) continue;
    (await load()).define(command, context);
    args = withJoinedAuto(args, command);
  }
  if (subjects !== null) {
    const { rejectUnknownCommands } = await import('./input/usage-error.js');
    rejectUnknownCommands(program, subjects);
  }
  if (requested === undefined) {
    const { topicsHelp } = await import('./help/topics.js');
    program.addHelpCommand(groupedHelpCommand()).addHelpText('after', topicsHelp());
  }
  program.hook('preAction', (_, command) => rejectEmptyValues(command));
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.exitCode();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.done;
    // No command was named, and Commander has printed the help to stderr already.
    if (error.code === 'commander.help') return exitCodes.usage;
    // Loaded only for arguments that Commander rejects, so that the synonyms cost nothing otherwise.
    const { usageError, suggestedArgs } = await import('./input/usage-error.js');
    const suggested = suggestedArgs(error, program, args);
    if (suggested === null) throw usageError(error, program, args);
    return runProgram(suggested, io);
  }
}

/** Whether `-v` is the only argument: other programs print their version then. */
function isVersion(argv: readonly string[]): boolean {
  return argv.length === 1 && argv[0] === '-v';
}

/** Adds a command without its arguments and options. */
export function addCommand(program: Command, name: string, summary: string): Command {
  return program.command(name).summary(summary).description(sentence(summary));
}

/** Creates the program without commands: its global flags, its help and its error handling. */
export function createProgram(io: Io): Command {
  const width = Number.isFinite(io.width) ? io.width : 80;
  return (
    new Command('venc')
      .description('Encode video on a remote encoding service, on the local daemon, or in this process.')
      .version(productVersion, '-V, --version', 'print the version')
      .option('--data <folder>', 'data folder of the local daemon (or VENC_DATA)')
      .option('--target <name>', 'the service, by its name (or VENC_TARGET)')
      .option('-q, --quiet', 'hide progress and all but warnings and errors')
      .option('-v, --verbose', 'print requests and command lines to stderr')
      .option('--no-color', 'no colours (or NO_COLOR)')
      .option('--debug', 'show stack traces of errors')
      .helpOption('-h, --help', 'show this help')
      .helpCommand('help [command]', 'show the help of a command')
      .configureHelp({ showGlobalOptions: true, helpWidth: width, ...helpFormat })
      .configureOutput({
        writeOut: (text) => void io.writeStdout(wrapText(text, width)),
        writeErr: (text) => io.writeStderr(wrapText(text, width)),
        // Errors are thrown (exitOverride) and printed in one place, in main.
        outputError: () => {},
        // Commander would open both streams.
        ...{ getOutHasColors: () => io.colour.stdout, getErrHasColors: () => io.colour.stderr },
        ...{ getOutHelpWidth: () => width, getErrHelpWidth: () => width },
      })
      .addHelpText('after', examples)
      // usage-error.ts makes better suggestions: it knows the flags and commands of other programs.
      .showSuggestionAfterError(false)
      .exitOverride()
  );
}

/** `help`, for the list of commands. runProgram handles it before Commander parses the arguments. */
function groupedHelpCommand(): Command {
  const command = new Command('help').argument('[command]').helpOption(false).helpGroup(commandGroups.setup);
  return command.description('show the help of a command');
}

/**
 * Formats the help: subcommands have one-line summaries, and defaults have no quotes. The flags of settings, which have
 * separate headings, are left out; `venc help settings` lists them.
 */
const helpFormat: Partial<Help> = {
  visibleOptions: (command) =>
    new Help().visibleOptions(command).filter(({ helpGroupHeading }) => helpGroupHeading === undefined),
  subcommandDescription: summaryOf,
  optionDescription: (option) => plainDefault(new Help().optionDescription(option)),
  argumentDescription: (argument) => plainDefault(new Help().argumentDescription(argument)),
};

function plainDefault(text: string): string {
  return text.replace(/\(default: "([^"]*)"\)$/, '(default: $1)');
}

const examples = `
Examples:
  venc run --sample                encode a test video to check the installation
  venc run film.mov -o film.mp4    encode a file on this machine
  venc daemon                      start the local service; then, in another terminal:
  venc submit film.mov --wait      upload a file, encode it and wait for it

Commands use the local daemon unless you select another service: venc help services.

Help of a command: venc COMMAND --help`;

/** The arguments of the command `help`; null if another command is named. `venc help help` prints the help of the program. */
function helpSubjects(argv: readonly string[]): readonly string[] | null {
  const index = findRequestedIndex(argv);
  if (argv[index] !== 'help') return null;
  const subjects = argv.slice(index + 1).filter((arg) => !arg.startsWith('-'));
  return subjects[0] === 'help' ? subjects.slice(1) : subjects;
}

/** The one-line summary of a command; if it has none, the start of its description. */
export function summaryOf(command: Command): string {
  if (command.summary() !== '') return command.summary();
  const text = command.description().replace(/[.:;].*$/s, '');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** Turns a summary into a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
