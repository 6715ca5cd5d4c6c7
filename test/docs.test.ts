import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isCommandName } from '../src/cli/command-table.js';
import { type CommandNode, commandTree, loadProgram } from '../src/cli/command-tree.js';
import type { JobArgs } from '../src/cli/input/job-args.js';
import { createIo } from '../src/cli/terminal/io.js';
import { parseFlags, parseOutputFlag } from '../src/shared/settings/flags.js';
import { mergeRequest } from '../src/shared/settings/merge-request.js';
import { parseJobRequest } from '../src/shared/settings/parse-job-request.js';
import { docBlocks, docPages } from './helpers/doc-blocks.js';

/** Written by hand; the other pages are generated. */
const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'settings.md');

/** Every `venc COMMAND …` of a block, up to the end of the shell command. Lines that end in a backslash are joined; `xargs` adds an argument. */
function commandsIn(code: string): readonly string[] {
  const whole = code.replaceAll(/\\\n/g, ' ').replaceAll(/#.*$/gm, '');
  const typed = whole.replaceAll(/\bxargs .*?(venc [^<>\n]*)/g, '$1 123');
  return [...typed.matchAll(/(?:^|[\s(;])venc ([a-z][^|;&)<>\n]*)/gm)].map(([, words = '']) => words.trim());
}

/** Every form of a command in a sentence: `venc keys create|list` has two, and `venc logs [ID]` has one with an id and one without. */
function formsOf(code: string): readonly string[] {
  const [form = ''] = code.replaceAll('\\|', '|').split(' | ');
  const [optional] = /\[[^\]]*\]/.exec(form) ?? [];
  if (optional !== undefined)
    return ['', optional.slice(1, -1)].flatMap((part) => formsOf(form.replace(optional, () => part)));
  const [alternatives] = /\S+\|\S+/.exec(form) ?? [];
  if (alternatives === undefined) return [form.replace(/^venc /, '').trim()];
  return alternatives.split('|').flatMap((one) => formsOf(form.replace(alternatives, () => one)));
}

/** The arguments of a command: without quotes, and with values in place of variables and of words such as ID. */
function argumentsOf(words: string): readonly string[] {
  const values = words
    .replace('FILE or folder', 'FILE')
    .replace(/ settings$/, ' --width 640')
    .replaceAll('...', '')
    .replaceAll(/\$ids?\b|\bID\b|\bN\b/g, '123')
    .replaceAll(/\bURL\b/g, 'https://example.com')
    .replaceAll(/\$\{[^}]*\}|\$\w+/g, 'x');
  return [...values.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(
    ([word, double, single]) => double ?? single ?? word,
  );
}

const blockCommands = docBlocks().flatMap(({ page, text }) =>
  commandsIn(text).map((words) => ({ page, words })),
);
const inlineCommands = docPages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/`(venc [^`\n]+)`/g)].flatMap(([, code = '']) =>
    formsOf(code).map((words) => ({ page, words })),
  ),
);

const io = createIo(process, false, (code) => process.exit(code));

/** Every command of a program, with those within it. */
function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

/**
 * Parses arguments as the program does, and the settings among them as a service does, and runs nothing. Rejects with the error of the
 * parser.
 */
async function parse(args: readonly string[]): Promise<void> {
  const program = await loadProgram(io);
  for (const command of allCommands(program)) {
    const hasSettings = command.options.some(({ helpGroupHeading }) => helpGroupHeading !== undefined);
    command.configureOutput({ writeOut: () => undefined });
    command.action(() => (hasSettings ? checkSettings(command.opts<JobArgs>()) : undefined));
  }
  await program.parseAsync([...args], { from: 'user' });
}

function checkSettings(options: JobArgs): void {
  const { jobFlags, outputFlags } = parseFlags(options);
  const outputs = (options.output ?? []).map((text) => parseOutputFlag(text));
  // A file of captions becomes a URL when the command runs.
  const { caption_url: _, ...others } = outputFlags;
  const request = {
    file: null,
    jobFlags: { input: 'https://h/a', ...jobFlags },
    outputFlags: others,
    outputs,
  };
  const result = parseJobRequest(mergeRequest(request), { maxOutputs: 10 });
  if (!result.ok) throw new Error(result.validationErrors.join());
}

/** Whether arguments are only the name of a command, as in a sentence about it, or of a help topic. */
function isName(program: CommandNode, args: readonly string[]): boolean {
  const named = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)];
  return args[0] === 'help' || named.some(({ path }) => path.join(' ') === args.join(' '));
}

/** The arguments, and a value if they end with the name of a flag that needs one, as in a sentence about it. */
function withLastValue(program: CommandNode, args: readonly string[]): readonly string[] {
  const last = args.at(-1);
  const [command] = program.commands.filter(({ path }) => path[0] === args[0]);
  const flags = command === undefined ? [] : [command, ...command.commands].flatMap((one) => one.flags);
  return flags.some(({ long, argument }) => long === last && argument !== null)
    ? [...args, 'https://example.com']
    : args;
}

test('every venc command of a block is known', () => {
  // The container of Docker is named venc, too: "docker exec venc cat".
  const known = (words: string) => isCommandName(words.split(/\s/)[0]) || /^(?:venc|cat) /.test(words);
  for (const { page, words } of blockCommands) assert.ok(known(words), `${page}: venc ${words}`);
});

test('the parser accepts the commands of the pages, with the values of their flags', async () => {
  const tree = commandTree(await loadProgram(io));
  const all = [
    ...blockCommands.filter(({ words }) => isCommandName(words.split(/\s/)[0])),
    ...inlineCommands,
  ];
  assert.ok(all.length > 100, `${all.length} commands were found`);
  for (const one of all) {
    const { page, words } = one;
    const args = argumentsOf(words);
    if (inlineCommands.includes(one) && isName(tree, args)) continue;
    await parse(withLastValue(tree, args)).catch((error: unknown) => {
      const isHelp = error instanceof CommanderError && error.exitCode === 0;
      assert.ok(isHelp, `${page}: venc ${words}: ${String(error)}`);
    });
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
