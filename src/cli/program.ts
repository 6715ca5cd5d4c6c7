import { Command, CommanderError, Help } from 'commander';
import { type ExitCode, exitCodes } from '../shared/exit-codes.js';
import { productVersion } from '../shared/version.js';
import { type CommandEntry, commandGroups, commandTable, isCommandName } from './command-table.js';
import { type CommandModule, createContext, type GlobalFlags } from './context.js';
import { sentence, summaryOf } from './help/help-text.js';
import { rejectEmptyValues } from './input/args.js';
import { wrapText } from './output/wrap-text.js';
import type { Io } from './terminal/io.js';

/**
 * Reads the words, runs the command they name and tells how it ended. Rejects with `UsageError` where the words make no
 * sense, and with what the command rejects with.
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<ExitCode> {
  const subjects = helpSubjects(argv);
  const [subject] = subjects ?? [];
  if (subject !== undefined && !isCommandName(subject)) {
    const { printTopic } = await import('./help/topics.js');
    await printTopic(subject, io);
    return exitCodes.done;
  }
  // `venc help list` is `venc list --help`: only so is the command loaded whose help is asked for.
  const args = subjects === null ? argv : [...subjects, '--help'];
  const program = createProgram(io);
  const context = createContext(io, () => program.opts<GlobalFlags>());
  const requested = findRequestedCommand(args);
  const entries: readonly (readonly [string, CommandEntry])[] = Object.entries(commandTable);
  for (const [name, { summary, group, load }] of entries) {
    const command = addCommand(program, name, summary).helpGroup(commandGroups[group]);
    if (name !== requested) continue;
    const loaded: CommandModule = await load();
    if (asksForHelp(args)) command.addHelpText('after', (await loaded.moreHelp?.()) ?? '');
    loaded.define(command, context);
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
    // No command was named: the help stands on stderr already.
    if (error.code === 'commander.help') return exitCodes.usage;
    // Only what Commander does not know is looked up: the words of other programs cost nothing if they are not used.
    const { usageError, suggestedArgs } = await import('./input/usage-error.js');
    const suggested = suggestedArgs(error, program, args);
    if (suggested === null) throw usageError(error, program, args);
    return runProgram(suggested, io);
  }
}

/** Adds a command to the program, without what it takes. */
export function addCommand(program: Command, name: string, summary: string): Command {
  return program.command(name).summary(summary).description(sentence(summary));
}

/** The program as it is without commands: its own flags, its help and its manners. */
export function createProgram(io: Io): Command {
  const width = Number.isFinite(io.width) ? io.width : 80;
  return (
    new Command('venc')
      .description('Encode video on a remote encoding service, on the local daemon, or right here.')
      .version(productVersion, '-V, --version', 'print the version')
      .option('--data <folder>', 'data folder of the local daemon (or VENC_DATA)')
      .option('--target <name>', 'the service to talk to: a name of venc target list (or VENC_TARGET)')
      .option('--no-color', 'no colours (or NO_COLOR)')
      .option('--debug', 'show stack traces of errors')
      .helpOption('-h, --help', 'show this help')
      .helpCommand('help [command]', 'show the help of a command')
      .configureHelp({ showGlobalOptions: true, helpWidth: width, ...helpWording })
      .configureOutput({
        writeOut: (text) => void io.writeStdout(wrapText(text, width)),
        writeErr: (text) => io.writeStderr(wrapText(text, width)),
        // Errors are thrown (exitOverride) and printed in one place, in main.
        outputError: () => {},
        getOutHasColors: () => io.colour.stdout,
      })
      .addHelpText('after', examples)
      // Ours know the words of other programs: usage-error.ts.
      .showSuggestionAfterError(false)
      .exitOverride()
  );
}

/** `help` in its group of the list of commands. runProgram answers it before commands are read. */
function groupedHelpCommand(): Command {
  const command = new Command('help').argument('[command]').helpOption(false).helpGroup(commandGroups.setup);
  return command.description('show the help of a command');
}

/**
 * Commands within a command are told of as the program's own are, and defaults stand without quotes. The flags of settings, which have
 * headings of their own, are in `venc help settings`.
 */
const helpWording: Partial<Help> = {
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
  venc run --sample                encode a test picture, to see that all is well
  venc run film.mov -o film.mp4    encode a file on this machine
  venc daemon                      start the local service; then, elsewhere:
  venc submit film.mov --wait      upload a file, encode it and wait for it

Services: the local daemon, unless --target NAME or VENC_URL and VENC_API_KEY name another one.

Help of a command: venc COMMAND --help`;

const acceptsArgument: readonly string[] = ['--data', '--target'];

/** The first word that is neither an option nor the value of one names the command. */
function findRequestedCommand(args: readonly string[]): string | undefined {
  return args[findRequestedIndex(args)];
}

function findRequestedIndex(args: readonly string[]): number {
  return args.findIndex(
    (arg, index) => !arg.startsWith('-') && !acceptsArgument.includes(args[index - 1] ?? ''),
  );
}

/** What help is asked for by the command `help`, which comes to its own by `venc help help`; null if it is not named. */
function helpSubjects(argv: readonly string[]): readonly string[] | null {
  const index = findRequestedIndex(argv);
  if (argv[index] !== 'help') return null;
  const subjects = argv.slice(index + 1).filter((arg) => !arg.startsWith('-'));
  return subjects[0] === 'help' ? subjects.slice(1) : subjects;
}

function asksForHelp(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--help' || arg === '-h');
}
