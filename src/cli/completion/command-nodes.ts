import { type CommandNode, commandTree, loadProgram } from '../command-tree.js';
import { helpTopics } from '../help/topics.js';
import type { Io } from '../terminal/io.js';

/**
 * The commands as data, `help` among them; only the requested one has its arguments and flags. In the shipped program the
 * build has replaced this module by its answers, because loading commands takes longer than a completion may.
 */
export async function commandNodes(requested: string | undefined, io: Io): Promise<CommandNode> {
  const program = commandTree(await loadProgram(io, (name) => name === requested));
  return { ...program, commands: [...program.commands, helpNode(program)] };
}

/** `venc help`, whose arguments are the commands and the topics. */
function helpNode(program: CommandNode): CommandNode {
  const leaf = (name: string, summary: string): CommandNode => ({
    path: ['help', name],
    summary,
    ...{ description: '', details: '', args: [], flags: [], commands: [] },
  });
  const topics = Object.entries(helpTopics).map(([name, { summary }]) => leaf(name, summary));
  return {
    ...leaf('help', 'show the help of a command or about a topic'),
    path: ['help'],
    commands: [...program.commands.map(({ path, summary }) => leaf(path.at(-1) ?? '', summary)), ...topics],
  };
}
