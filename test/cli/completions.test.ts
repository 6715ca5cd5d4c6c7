import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTree, loadFullProgram } from '../../src/cli/command-tree.js';
import { completionFiles, shells } from '../../src/cli/completion/protocol.js';
import { completionScripts } from '../../src/cli/completion/scripts.js';
import { createIo } from '../../src/cli/terminal/io.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import { tempFolder } from '../helpers/temp.js';
import { areInstalled, envOf, startJobService, startSilentService } from './completion-room.js';
import { runCli } from './run-cli.js';
import { runInProcess } from './run-here.js';

const io = createIo(process, false, (code) => process.exit(code));
const scripts = completionScripts(await loadFullProgram(io));
const tree = commandTree(await loadFullProgram(io));
const commands = tree.commands.flatMap((one) => [one, ...one.commands]);

const service = await startJobService();
const silent = await startSilentService();

for (const shell of shells) {
  const file = `completions/${completionFiles[shell]}`;
  test(`${file} is what the commands say: npm run docs makes it anew`, () => {
    assert.fixture(readFileSync(file, 'utf8'), scripts[shell]);
  });

  test(`the completions for ${shell} are in ASCII, good for a terminal of any locale`, () => {
    assert.equal(scripts[shell].match(/[^\n -~]/gu), null);
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

  (areInstalled(shell) ? test : test.skip)(`${shell} takes its completions without a complaint`, () => {
    execFileSync(shell, ['-n', file]);
  });
}

(areInstalled('zsh') ? test : test.skip)(
  'zsh takes the script where nobody has called compinit before',
  () => {
    const line = `source completions/${completionFiles.zsh} 2>&1; echo $_comps[venc]`;
    const env = { ...process.env, HOME: tempFolder() };
    assert.is(execFileSync('zsh', ['-f', '-c', line], { env, encoding: 'utf8' }), '_venc\n');
  },
);

test('venc completion prints what the file holds', async () => {
  const { code, stdout, stderr } = await runCli(['completion', 'fish']);
  assert.equal([code, stderr], [0, '']);
  assert.is(stdout, scripts.fish);
});

const answers = [
  [
    'jobs',
    '@last\tjob 12, processing, film12.mov\n12\tprocessing, film12.mov\n11\tfailed, film11.mov\n10\tfinished, film10.mov\n',
  ],
  ['active', '12\tprocessing, film12.mov\n'],
  ['unfinished', '12\tprocessing, film12.mov\n11\tfailed, film11.mov\n'],
  ['inputs', '3\tprocessing, film12.mov\n2\tfailed, film11.mov\n1\tfinished, film10.mov\n'],
  ['outputs', '112\tprocessing, web\n111\tfailed, for the web\n110\tfinished, $(x)\n'],
  ['labels', 'web\tof job 12\nfor the web\tof job 11\n$(x)\tof job 10\n'],
  ['groupings', 'team:a\tof job 12\n'],
  [
    'followed',
    '@last\tjob 12, processing, film12.mov\n12\tprocessing, film12.mov\n11\tfailed, film11.mov\n10\tfinished, film10.mov\n',
  ],
  ['followed --input', '3\tprocessing, film12.mov\n2\tfailed, film11.mov\n1\tfinished, film10.mov\n'],
  ['followed --output', '112\tprocessing, web\n111\tfailed, for the web\n110\tfinished, $(x)\n'],
] as const;

for (const [what, expected] of answers) {
  test(`a completion that asks for ${what} gets them, newest first, and no secret`, async () => {
    // A busy machine may take longer than a person at a shell would wait for.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const { code, stdout, stderr } = await runInProcess(['complete-words', ...what.split(' ')], {
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
  ['nobody answers in time', envOf(silent)],
  ['there is no service', { VENC_URL: 'http://127.0.0.1:1', VENC_API_KEY: 'k' }],
  ['there is no key', { VENC_URL: 'http://127.0.0.1:1' }],
  ['there is no daemon', {}],
] as const) {
  test(`a completion says nothing where ${title}`, async () => {
    // In a process of its own, which a name that is looked up or an open connection must not keep.
    const { code, stdout, stderr } = await runCli(['complete-words', 'jobs'], { env });
    assert.equal([code, stdout, stderr], [0, '', '']);
  });
}

test('names of targets are completed, and their keys are not told', async () => {
  const config = tempFolder();
  const env = { XDG_CONFIG_HOME: config };
  const added = await runInProcess(['target', 'add', 'studio', 'https://u:p@example.com'], {
    env,
    stdin: 'topsecret\n',
  });
  const plain = await runInProcess(['target', 'add', 'depot', 'https://example.com'], {
    env,
    stdin: 'topsecret\n',
  });
  assert.is(plain.code, 0, plain.stderr);
  const { stdout } = await runInProcess(['complete-words', 'targets'], { env });
  assert.match(stdout, /^local\t/);
  assert.match(stdout, /^depot\thttps:\/\/example\.com$/m);
  assert.not.match(stdout, /topsecret|:p@/);
  assert.ok(added.code === 0 || added.code === 2);
});

test('names of accounts and ids of keys are completed, and nothing is made where there are none', async () => {
  const data = join(tempFolder(), 'data');
  const asked = async (what: string) =>
    (await runInProcess(['complete-words', what, `--data=${data}`])).stdout;
  assert.equal([await asked('accounts'), await asked('keys'), existsSync(data)], ['', '', false]);
  const { code, stderr } = await runInProcess(['--data', data, 'accounts', 'create', 'studio']);
  assert.is(code, 0, stderr);
  assert.is(await asked('accounts'), 'default\tlive\nstudio\tin integration mode\n');
  const id = /has the id (\w+)/.exec(stderr)?.[1];
  assert.match(await asked('keys'), new RegExp(`^${id}\tfull, of studio$`, 'm'));
});

test.run();
