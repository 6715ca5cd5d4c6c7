import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isCommandName } from '../src/cli/command-table.js';
import { type CommandNode, commandTree } from '../src/cli/command-tree.js';
import { loadFullProgram } from '../src/cli/completion/load-all-commands.js';
import { createIo } from '../src/cli/terminal/io.js';

/** Written by hand; the others are written from the tables themselves. */
const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'settings.md');

/** Every `venc COMMAND …` of the pages, up to what ends a command in a shell; lines that end in a backslash count as one. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(`docs/${page}`, 'utf8').replaceAll(/\\\n/g, ' ');
  const code = [...text.matchAll(/```sh\n([\s\S]*?)```|`(venc [^`\n]+)`/g)].map(
    ([, block, inline]) => block ?? inline,
  );
  return code.flatMap((block = '') =>
    [...block.matchAll(/(?:^|[\s(;])venc ([a-z][^|;&)#>\n]*)/gm)].map(([, words = '']) => words.trim()),
  );
}

const commands = pages.flatMap((page) => commandsOf(page).map((words) => ({ page, words })));

const program = commandTree(await loadFullProgram(createIo(process, false, (code) => process.exit(code))));

/** The flags of a command, of those within it and of the program. */
function flagsOf({ flags, commands: within }: CommandNode): readonly string[] {
  return [...flags.map(({ long }) => long), ...within.flatMap(flagsOf)];
}

test('the pages name commands that exist, with flags that they have', () => {
  assert.ok(commands.length > 20, `${commands.length} commands were found`);
  const everywhere = program.flags.map(({ long }) => long);
  for (const { page, words } of commands.filter(({ words }) => isCommandName(words.split(/\s/)[0]))) {
    const [name = '', ...rest] = words.split(/\s+/);
    const command = program.commands.find(({ path }) => path[0] === name);
    const known = ['--help', ...everywhere, ...(command === undefined ? [] : flagsOf(command))];
    for (const flag of rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '')) {
      assert.ok(known.includes(flag), `${page}: venc ${words}`);
    }
  }
});

test('links between the pages lead somewhere', () => {
  for (const page of pages) {
    const targets = [...readFileSync(`docs/${page}`, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];
    for (const [, path = ''] of targets)
      assert.ok(readFileSync(`docs/${path}`).length > 0, `${page}: ${path}`);
  }
});

test.run();
