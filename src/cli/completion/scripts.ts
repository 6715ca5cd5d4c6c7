import type { Command } from 'commander';
import { configKeys, configTable } from '../../config/config.js';
import { type CommandNode, commandTree, type FlagNode } from '../command-tree.js';
import { helpTopics } from '../help/topics.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import type { Shell } from './protocol.js';
import {
  argumentSource,
  type CompletionContext,
  type CompletionFlag,
  configSource,
  flagSource,
} from './source.js';
import { zshScript } from './zsh.js';

/** The completion scripts for all shells, generated from the program with all commands. */
export function completionScripts(program: Command): Readonly<Record<Shell, string>> {
  const topics = Object.entries(helpTopics).map(([name, { summary }]) => ({ name, help: summary }));
  const contexts = buildCompletionContexts(commandTree(program), topics);
  return { bash: bashScript(contexts), zsh: zshScript(contexts), fish: fishScript(contexts) };
}

/** A topic of `venc help`. */
interface HelpTopicEntry {
  readonly name: string;
  readonly help: string;
}

/**
 * The contexts of a tree of commands, the program first. Every context includes the flags of the program, which are
 * accepted everywhere. `topics` are the topics of `venc help` in addition to the commands.
 */
function buildCompletionContexts(
  tree: CommandNode,
  topics: readonly HelpTopicEntry[],
): readonly CompletionContext[] {
  const globalFlags = [...tree.flags.map(flagOf), helpFlag].filter(({ long }) => long !== '--version');
  const version = tree.flags.filter(({ long }) => long === '--version').map(flagOf);
  const help: HelpTopicEntry = { name: 'help', help: 'show the help of a command or about a topic' };
  const [program, ...commands] = nested(tree, globalFlags);
  if (program === undefined) return [];
  const subjects = [...program.commands, ...topics];
  return [
    { ...program, flags: [...globalFlags, ...version], commands: [...program.commands, help] },
    ...commands.flatMap(withKeys),
    { path: 'help', commands: subjects, args: [], flags: globalFlags },
  ];
}

function nested(node: CommandNode, globalFlags: readonly CompletionFlag[]): readonly CompletionContext[] {
  const isProgram = node.path.length === 0;
  const context: CompletionContext = {
    path: node.path.join(' '),
    commands: node.commands.map(({ path, summary }) => ({ name: path.at(-1) ?? '', help: summary })),
    args: node.args.map((arg) => ({
      help: arg.help,
      isVariadic: arg.isVariadic,
      source: argumentSource(node, arg),
    })),
    flags: isProgram ? globalFlags : [...node.flags.map(flagOf), ...globalFlags],
  };
  return [context, ...node.commands.flatMap((one) => nested(one, globalFlags))];
}

/** Presents the keys of the configuration as subcommands, because the value that follows depends on the key. */
function withKeys(context: CompletionContext): readonly CompletionContext[] {
  if (context.path !== 'config get' && context.path !== 'config set') return [context];
  const commands = configKeys.map((name) => ({ name, help: shortHelp(configTable[name].help) }));
  const values = configKeys.map((name): CompletionContext => {
    const value = { help: configTable[name].help, isVariadic: false, source: configSource(name) };
    return { ...context, path: `${context.path} ${name}`, args: [value] };
  });
  return [{ ...context, commands, args: [] }, ...(context.path === 'config set' ? values : [])];
}

const helpFlag: CompletionFlag = {
  long: '--help',
  short: '-h',
  help: 'show this help',
  isRepeatable: false,
  source: null,
};

function flagOf(flag: FlagNode): CompletionFlag {
  const { long, short, help, isRepeatable, argument } = flag;
  return {
    long,
    short,
    help: shortHelp(help),
    isRepeatable,
    source: argument === null ? null : flagSource(flag),
  };
}

/**
 * The start of a help text without ranges and defaults, since shells show it next to each completion. In ASCII, because
 * the scripts are generated for any locale.
 */
function shortHelp(help: string): string {
  const short = help.replace(/ \([^()]*(?:\([^()]*\)[^()]*)*\)$/, '');
  return short.length > 72 ? `${short.slice(0, 69).trimEnd()}...` : short;
}
