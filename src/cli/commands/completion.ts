import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import { choiceParser } from '../../shared/flag-parsers.js';
import { completionFiles, type Shell, shells } from '../completion/protocol.js';
import type { Context } from '../context.js';

/** `venc completion SHELL`: prints the completion script for a shell, which `npm run docs` generates and the package contains. */
export function define(command: Command, context: Context): void {
  command
    .argument('<shell>', shells.join(', '), choiceParser('completion', shells))
    .addHelpText('after', details)
    .action(context.handler((shell: Shell) => run(shell, context)));
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

async function run(shell: Shell, { io }: Context) {
  await io.writeStdout(
    await readFile(new URL(`completions/${completionFiles[shell]}`, packageFolder()), 'utf8'),
  );
  return exitCodes.done;
}

/** The root of the package: the nearest folder above this module, bundled or not, that has a package.json. */
function packageFolder(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/')
    folder = new URL('..', folder);
  return folder;
}
