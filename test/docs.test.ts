import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isCommandName } from '../src/cli/command-table.js';
import { type CommandNode, commandTree, loadFullProgram } from '../src/cli/command-tree.js';
import { createIo } from '../src/cli/terminal/io.js';
import { docBlocks, docPages } from './helpers/doc-blocks.js';

/** Written by hand; the other pages are generated. */
const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'settings.md');

/** Every `venc COMMAND …` of some code, up to the end of the shell command. Lines that end in a backslash are joined. */
function commandsIn(code: string): readonly string[] {
  return [...code.replaceAll(/\\\n/g, ' ').matchAll(/(?:^|[\s(;])venc ([a-z][^|;&)#>\n]*)/gm)].map(
    ([, words = '']) => words.trim(),
  );
}

const blockCommands = docBlocks().flatMap(({ page, text }) =>
  commandsIn(text.replaceAll(/#.*$/gm, '')).map((words) => ({ page, words })),
);
const inlineCommands = docPages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/`(venc [^`\n]+)`/g)].flatMap(([, code = '']) =>
    commandsIn(code).map((words) => ({ page, words })),
  ),
);
const commands = [...blockCommands, ...inlineCommands];

const program = commandTree(await loadFullProgram(createIo(process, false, (code) => process.exit(code))));

/** The flags of a command, of its subcommands and of the program. */
function flagsOf({ flags, commands: within }: CommandNode): readonly string[] {
  return [...flags.map(({ long }) => long), ...within.flatMap(flagsOf)];
}

test('every venc command of a block is known', () => {
  // The container of Docker is named venc, too: "docker exec venc cat".
  const known = (words: string) => isCommandName(words.split(/\s/)[0]) || /^(?:venc|cat) /.test(words);
  for (const { page, words } of blockCommands) assert.ok(known(words), `${page}: venc ${words}`);
});

test('the pages use commands and flags that exist', () => {
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

/** The Markdown pages whose links are checked, by path. */
const linkingPages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'test/README.md',
  ...pages.map((page) => `docs/${page}`),
  'docs/settings.md',
];

/** The anchors of a page, as GitHub derives them from its headings. */
function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

test('every relative link of a page leads to a file, and every anchor to a heading', () => {
  for (const page of linkingPages) {
    const links = readFileSync(page, 'utf8').matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]*))?\)/g);
    for (const [link, path = '', anchor] of links) {
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      assert.ok(existsSync(target), `${page}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), `${page}: ${link}`);
    }
  }
});

test('the files and folders named on the pages for contributors exist', () => {
  for (const page of ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/decisions.md']) {
    const named = readFileSync(page, 'utf8').matchAll(/(?<![\w/])(?:src|daemon|test|scripts)\/[\w./-]*\w/g);
    for (const [path] of named) if (!path.includes('NAME')) assert.ok(existsSync(path), `${page}: ${path}`);
  }
});

test('the README links to every page of docs/', () => {
  const readme = readFileSync('README.md', 'utf8');
  for (const page of [...pages, 'settings.md']) assert.ok(readme.includes(`](docs/${page})`), page);
});

test('the README stays short', () => {
  const size = readFileSync('README.md').length;
  assert.ok(size <= 9000, `${size} bytes`);
});

test.run();
