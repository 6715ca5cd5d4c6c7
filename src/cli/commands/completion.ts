import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { choiceParser } from '../../shared/flag-parsers.js';
import { completionFiles, type Shell, shells } from '../completion/shells.js';
import type { Context } from '../context.js';

/** `venc completion SHELL`: prints the completion script for a shell. */
export function define(command: Command, context: Context): void {
  command
    .argument('<shell>', shells.join(', '), choiceParser('completion', shells))
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
The script asks venc for the words at each Tab: commands, flags and the values
of settings. Names of targets and accounts, ids of keys and recent jobs, labels
and groupings are requested from the service, with a timeout of 300 ms.

The completions work in newly started shells. Instead of changing .bashrc or
.zshrc, you can save the script as _venc in a folder of $fpath (zsh), or as
~/.local/share/bash-completion/completions/venc (bash with bash-completion).

Examples:
  venc completion bash > ~/.venc.bash && echo . ~/.venc.bash >> ~/.bashrc
  venc completion zsh > ~/.venc.zsh && echo . ~/.venc.zsh >> ~/.zshrc
  mkdir -p ~/.config/fish/completions
  venc completion fish > ~/.config/fish/completions/venc.fish`;

async function run(shell: Shell, _: object, { io }: Context) {
  await io.writeStdout(
    await readFile(new URL(`completions/${completionFiles[shell]}`, packageFolder()), 'utf8'),
  );
}

/** The root of the package: the nearest parent folder of this module, bundled or not, with a package.json. */
function packageFolder(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/')
    folder = new URL('..', folder);
  return folder;
}
