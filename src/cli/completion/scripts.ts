import type { Command } from 'commander';
import { commandTree } from '../command-tree.js';
import { helpTopics } from '../help/topics/index.js';
import { bashScript } from './bash.js';
import { buildCompletionContexts } from './completion-contexts.js';
import { fishScript } from './fish.js';
import type { Shell } from './shells.js';
import { zshScript } from './zsh.js';

/** The completion scripts for all shells, generated from the program with all commands. */
export function completionScripts(program: Command): Readonly<Record<Shell, string>> {
  const topics = Object.entries(helpTopics).map(([name, { summary }]) => ({ name, help: summary }));
  const contexts = buildCompletionContexts(commandTree(program), topics);
  return { bash: bashScript(contexts), zsh: zshScript(contexts), fish: fishScript(contexts) };
}
