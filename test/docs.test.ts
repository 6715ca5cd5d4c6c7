import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isCommandName } from '../src/cli/command-table.js';
import { runCli } from './cli/run-cli.js';

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

test('the pages name commands that exist, with flags that their help has', async () => {
  assert.ok(commands.length > 20, `${commands.length} commands were found`);
  const named = commands.filter(({ words }) => isCommandName(words.split(/\s/)[0]));
  const names = [...new Set(named.map(({ words }) => words.split(/\s/)[0] ?? ''))];
  const helps = new Map<string, string>();
  for (const name of names) helps.set(name, (await runCli([name, '--help'])).stdout);
  for (const { page, words } of named) {
    const [name = '', ...rest] = words.split(/\s+/);
    for (const flag of rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '')) {
      assert.match(helps.get(name) ?? '', new RegExp(`${flag}\\b`), `${page}: venc ${words}`);
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
