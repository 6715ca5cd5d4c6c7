import type { Command } from 'commander';
import { exitCodes } from '../../api/exit-codes.js';
import { oneOf } from '../../api/flag-readers.js';
import { type Shell, shells } from '../completion/shells.js';
import type { Context } from '../context.js';

/** `venc completion SHELL`: prints the completions for a shell, made of the commands as they are. */
export function define(command: Command, context: Context): void {
  command
    .argument('<shell>', shells.join(', '), oneOf('completion', shells))
    .addHelpText('after', details)
    .action(context.act((shell: Shell) => run(shell, command.parent ?? command, context)));
}

const details = `
Commands, flags and the values of settings are in the script itself. Names of
targets and accounts, ids of keys and recent jobs, labels and groupings are
looked up when they are wanted: a service that takes longer than 300 ms is not
waited for.

A shell that is started after that knows them. Without such a line zsh finds a
file named _venc in a folder of $fpath, and bash, where it has the package
bash-completion, ~/.local/share/bash-completion/completions/venc.

Examples:
  venc completion bash > ~/.venc.bash && echo . ~/.venc.bash >> ~/.bashrc
  venc completion zsh > ~/.venc.zsh && echo . ~/.venc.zsh >> ~/.zshrc
  mkdir -p ~/.config/fish/completions
  venc completion fish > ~/.config/fish/completions/venc.fish`;

async function run(shell: Shell, program: Command, { io }: Context) {
  const { completionScripts } = await import('../completion/scripts.js');
  await io.out(completionScripts(program)[shell]);
  return exitCodes.done;
}
