import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { settingFlags } from '../../src/api/settings/flags.js';
import { commandTree } from '../../src/cli/command-tree.js';
import { completionScripts } from '../../src/cli/completion/scripts.js';
import { completionFiles, shells } from '../../src/cli/completion/shells.js';
import { createIo } from '../../src/cli/io.js';
import { wholeProgram } from '../../src/cli/whole-program.js';
import { tempFolder } from '../helpers/temp.js';
import { hasTmux, openTerminal, type Terminal } from '../helpers/tmux.js';
import { runCli } from './run-cli.js';

const io = createIo(process, false, (code) => process.exit(code));
const scripts = completionScripts(await wholeProgram(io));
const tree = commandTree(await wholeProgram(io));
const commands = tree.commands.flatMap((one) => [one, ...one.commands]);

const jobs = [
  { id: 12, state: 'processing', grouping: 'team:a', input: 3, label: 'web' },
  { id: 11, state: 'failed', grouping: null, input: 2, label: 'for the web' },
  { id: 10, state: 'finished', grouping: 'team:a', input: 1, label: '$(x)' },
].map(({ id, state, grouping, input, label }) => ({
  job: {
    ...{ id, state, grouping },
    input_media_file: { id: input, url: `https://u:secret@h/a/film${id}.mov?key=secret` },
    output_media_files: [{ id: id + 100, label, state }],
  },
}));

const service = createServer((_, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(jobs));
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
service.unref();
const slow = createServer(() => {});
await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
slow.unref();

function envOf(server: typeof service): Readonly<Record<string, string>> {
  // A server at a port has such an address.
  const { port } = server.address() as AddressInfo;
  return { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
}

/** The program under its own name, for shells to call. */
const folder = tempFolder();
const program = new URL('../../src/cli/main.js', import.meta.url).href;
writeFileSync(
  join(folder, 'venc'),
  `#!${process.execPath}\nimport('${program}').then(({ main }) => main(process.argv.slice(2)));\n`,
);
chmodSync(join(folder, 'venc'), 0o755);

const run = promisify(execFile);

/** A test for machines that have these programs; elsewhere it is skipped, and says what it misses. */
function testIn(...programs: readonly string[]): typeof test | typeof test.skip {
  const missing = programs.filter((name) => !(name === 'tmux' ? hasTmux() : has(name)));
  if (missing.length === 0) return test;
  process.stderr.write(
    `skipped, as there is no ${missing.join(', ')} here: apt-get install ${missing.join(' ')}\n`,
  );
  return test.skip;
}

function has(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

for (const shell of shells) {
  const file = `completions/${completionFiles[shell]}`;
  test(`${file} is what the commands say: npm run docs makes it anew`, () => {
    assert.fixture(readFileSync(file, 'utf8'), scripts[shell]);
  });

  test(`the completions for ${shell} know every command, every flag and every choice of a setting`, () => {
    const text = scripts[shell];
    for (const { path: words, flags } of commands) {
      assert.ok(text.includes(words.at(-1) ?? ''), words.join(' '));
      for (const { long } of flags)
        assert.ok(text.includes(shell === 'fish' ? `-l ${long.slice(2)}` : long), long);
    }
    const between = shell === 'fish' ? '\\\\t ' : ' ';
    for (const { choices } of settingFlags()) assert.ok(text.includes(choices.join(between)), choices.join());
  });

  testIn(shell)(`${shell} takes its completions without a complaint`, () => {
    execFileSync(shell, ['-n', file]);
  });
}

test('venc completion prints what the file holds', async () => {
  const { code, stdout, stderr } = await runCli(['completion', 'fish']);
  assert.equal([code, stderr], [0, '']);
  assert.is(stdout, scripts.fish);
});

const answers = [
  ['jobs', '12\tprocessing, film12.mov\n11\tfailed, film11.mov\n10\tfinished, film10.mov\n'],
  ['active', '12\tprocessing, film12.mov\n'],
  ['unfinished', '12\tprocessing, film12.mov\n11\tfailed, film11.mov\n'],
  ['inputs', '3\tprocessing, film12.mov\n2\tfailed, film11.mov\n1\tfinished, film10.mov\n'],
  ['outputs', '112\tprocessing, web\n111\tfailed, for the web\n110\tfinished, $(x)\n'],
  ['labels', 'web\tof job 12\nfor the web\tof job 11\n$(x)\tof job 10\n'],
  ['groupings', 'team:a\tof job 12\n'],
  ['followed', '12\tprocessing, film12.mov\n11\tfailed, film11.mov\n10\tfinished, film10.mov\n'],
  ['followed --input', '3\tprocessing, film12.mov\n2\tfailed, film11.mov\n1\tfinished, film10.mov\n'],
  ['followed --output', '112\tprocessing, web\n111\tfailed, for the web\n110\tfinished, $(x)\n'],
] as const;

for (const [what, expected] of answers) {
  test(`a completion that asks for ${what} gets them, newest first, and no secret`, async () => {
    // A busy machine may take longer than a person at a shell would wait for.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const { code, stdout, stderr } = await runCli(['complete-words', ...what.split(' ')], {
        env: envOf(service),
      });
      assert.equal([code, stderr], [0, '']);
      if (stdout === '') continue;
      return assert.is(stdout, expected);
    }
    assert.unreachable('it never answered in time');
  });
}

for (const [title, env] of [
  ['nobody answers in time', envOf(slow)],
  ['there is no service', { VENC_URL: 'http://127.0.0.1:1', VENC_API_KEY: 'k' }],
  ['there is no key', { VENC_URL: 'http://127.0.0.1:1' }],
  ['there is no daemon', {}],
] as const) {
  test(`a completion says nothing where ${title}`, async () => {
    const { code, stdout, stderr } = await runCli(['complete-words', 'jobs'], { env });
    assert.equal([code, stdout, stderr], [0, '', '']);
  });
}

test('names of targets are completed, and their keys are not told', async () => {
  const config = tempFolder();
  const env = { XDG_CONFIG_HOME: config };
  const added = await runCli(['target', 'add', 'studio', 'https://u:p@example.com'], {
    env,
    stdin: 'topsecret\n',
  });
  const plain = await runCli(['target', 'add', 'depot', 'https://example.com'], {
    env,
    stdin: 'topsecret\n',
  });
  assert.is(plain.code, 0, plain.stderr);
  const { stdout } = await runCli(['complete-words', 'targets'], { env });
  assert.match(stdout, /^local\t/);
  assert.match(stdout, /^depot\thttps:\/\/example\.com$/m);
  assert.not.match(stdout, /topsecret|:p@/);
  assert.ok(added.code === 0 || added.code === 2);
});

test('names of accounts and ids of keys are completed, and nothing is made where there are none', async () => {
  const data = join(tempFolder(), 'data');
  const asked = async (what: string) => (await runCli(['complete-words', what, `--data=${data}`])).stdout;
  assert.equal([await asked('accounts'), await asked('keys'), existsSync(data)], ['', '', false]);
  const { code, stderr } = await runCli(['--data', data, 'accounts', 'create', 'studio']);
  assert.is(code, 0, stderr);
  assert.is(await asked('accounts'), 'default\tlive\nstudio\tin integration mode\n');
  const id = /has the id (\w+)/.exec(stderr)?.[1];
  assert.match(await asked('keys'), new RegExp(`^${id}\tfull, of studio$`, 'm'));
});

// What bash is given at a TAB, with = and : as words of their own, and what it offers then.
const typed = [
  [['wa'], 'watch wait'],
  [['submit', '--video-c'], '--video-codec'],
  [['submit', '--video-codec', ''], 'h264 theora vp6 vp8 hevc vp9 av1'],
  [['submit', '--video-codec', '=', 'hev'], 'hevc'],
  [['run', 'a.mov', '--output', 'video_codec', '=', 'hev'], 'hevc'],
  [['run', 'a.mov', '--output', 'filename', '=', 'a.mp4,video_cod'], 'a.mp4,video_codec='],
  [['--data', 'show', 'accounts', ''], 'create list show live integration'],
  [['list', '--state', 'fin'], 'finished'],
  [['progress', '1', '--output', '--js'], '--json'],
  [['help', 'ex'], 'exit-codes'],
  [['show', ''], '12 11 10'],
  [['show', '12', ''], ''],
  [['show', '--', ''], '12 11 10'],
  [['show', '--', '--js'], ''],
  [['progress', '--output', ''], '112 111 110'],
  [['progress', '--input', ''], '3 2 1'],
  [['config', 'set', 'progress', ''], 'auto tty plain json none'],
  [['config', 'set', '--unset', 'pro'], 'progress'],
  [['config', 'get', 'progress', ''], ''],
  [['--target', 'x', 'config', 'set', 'target', ''], 'local'],
  [['wait', '12', '11'], '11'],
  [['submit', '--label', 'for'], 'for\\ the\\ web'],
  [['submit', '--label', '"for the'], 'for the web'],
  [['submit', '--label', '"'], 'web for the web'],
  [['list', '--state', "'fin"], 'finished'],
  [['run', 'a.mov', '--output', '"video_codec=hev'], 'video_codec=hevc'],
  [['submit', '--label', ''], 'web for\\ the\\ web \\$\\(x\\)'],
  [['submit', '--grouping', 'team', ':', ''], 'a'],
  [['submit', '--width', ''], ''],
  [['show', '>', ''], ''],
] as const;

for (const [words, expected] of typed) {
  testIn('bash')(`bash offers "${expected}" after venc ${words.join(' ')}`, async () => {
    const lines = [
      // As some people have it in their shells.
      'set -u',
      `source completions/${completionFiles.bash}`,
      'COMP_WORDS=(venc "$@") COMP_CWORD=$#',
      '_venc venc',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: bash is to read it.
      'echo "${COMPREPLY[*]}"',
    ];
    const env = { ...envOf(service), PATH: `${folder}:${process.env.PATH ?? ''}`, HOME: folder };
    const say = async () =>
      (await run('bash', ['-c', lines.join('\n'), 'bash', ...words], { env })).stdout.trim();
    // As above: what asks the service may be late on a busy machine.
    let text = await say();
    for (let attempt = 0; attempt < 10 && text !== expected; attempt += 1) text = await say();
    assert.is(text, expected);
  });
}

/** How each shell is started without the user's own settings, and told of the completions. */
const starts = {
  bash: ['bash --norc', `source ${process.cwd()}/completions/venc.bash`],
  zsh: ['zsh -f', `fpath+=${process.cwd()}/completions; autoload -U compinit; compinit -u -D`],
  fish: ['fish --no-config', `source ${process.cwd()}/completions/venc.fish`],
} as const;

/** Presses TAB until something is there: on a busy machine what asks the service may be late, and then nothing is offered. */
async function offered(terminal: Terminal, what: RegExp): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await terminal.press('Tab');
    const deadline = Date.now() + 1000;
    while (Date.now() < deadline) if (what.test(await terminal.text())) return;
  }
  assert.unreachable(`it was never offered: ${await terminal.text()}`);
}

for (const shell of shells) {
  testIn(shell, 'tmux')(`TAB completes commands, values and ids of jobs in ${shell}`, async () => {
    const terminal = await openTerminal(tempFolder(), 100, 30, {
      ...envOf(service),
      HOME: folder,
    });
    try {
      await terminal.type(`PATH=${folder}:$PATH`);
      for (const line of starts[shell]) await terminal.type(line);
      await terminal.type('echo re""ady');
      await terminal.shows(/^ready$/m);
      await terminal.press('venc resu', 'Tab');
      await terminal.shows(/venc resubmit/);
      await terminal.press('C-u');
      await terminal.press('venc resubmit --state cance', 'Tab');
      await terminal.shows(/--state cancelled/);
      await terminal.press('C-u');
      await terminal.press('venc submit a --video-codec=the', 'Tab');
      await terminal.shows(/--video-codec=theora/);
      await terminal.press('C-u');
      await terminal.press('venc submit a --output "aspect_mode=cr', 'Tab');
      await terminal.shows(/--output "aspect_mode=crop/);
      await terminal.press('C-u');
      await terminal.press('venc cancel ');
      await offered(terminal, /venc cancel 12/);
    } finally {
      await terminal.close();
    }
  });
}

test.run();
