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
import { areInstalled, envOf, startJobService, startSilentService } from './completion-service.js';
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
  test(`${file} matches the commands; npm run docs updates it`, () => {
    assert.fixture(readFileSync(file, 'utf8'), scripts[shell]);
  });

  test(`the completions for ${shell} are in ASCII, for terminals of any locale`, () => {
    assert.equal(scripts[shell].match(/[^\n -~]/gu), null);
  });

  test(`the completions for ${shell} contain every command, every flag and every choice of a setting`, () => {
    const text = scripts[shell];
    for (const { path: words, flags } of commands) {
      assert.ok(text.includes(words.at(-1) ?? ''), words.join(' '));
      for (const { long } of flags)
        assert.ok(text.includes(shell === 'fish' ? `-l ${long.slice(2)}` : long), long);
    }
    const between = shell === 'fish' ? '\\\\t ' : ' ';
    for (const { choices } of settingFlags()) assert.ok(text.includes(choices.join(between)), choices.join());
  });

  (areInstalled(shell) ? test : test.skip)(`${shell} loads its completions without an error`, () => {
    execFileSync(shell, ['-n', file]);
  });
}

(areInstalled('zsh') ? test : test.skip)('zsh loads the script even if compinit was not called', () => {
  const line = `source completions/${completionFiles.zsh} 2>&1; echo $_comps[venc]`;
  const env = { ...process.env, HOME: tempFolder() };
  assert.is(execFileSync('zsh', ['-f', '-c', line], { env, encoding: 'utf8' }), '_venc\n');
});

test('venc completion prints the contents of the file', async () => {
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
  test(`a completion for ${what} is newest first, without secrets`, async () => {
    // A busy machine may take longer than the time limit of a real completion.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const { code, stdout, stderr } = await runInProcess(['complete-words', ...what.split(' ')], {
        env: envOf(service),
      });
      assert.equal([code, stderr], [0, '']);
      if (stdout === '') continue;
      return assert.is(stdout, expected);
    }
    assert.unreachable('it did not answer in time');
  });
}

for (const [title, env] of [
  ['the service does not answer in time', envOf(silent)],
  ['there is no service', { VENC_URL: 'http://127.0.0.1:1', VENC_API_KEY: 'k' }],
  ['there is no key', { VENC_URL: 'http://127.0.0.1:1' }],
  ['there is no daemon', {}],
] as const) {
  test(`a completion prints nothing if ${title}`, async () => {
    // In a separate process, because a pending lookup or an open connection must not keep it alive.
    const { code, stdout, stderr } = await runCli(['complete-words', 'jobs'], { env });
    assert.equal([code, stdout, stderr], [0, '', '']);
  });
}

test('names of targets are completed, without their keys', async () => {
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

test('names of accounts and ids of keys are completed, and none are created', async () => {
  const data = join(tempFolder(), 'data');
  const complete = async (what: string) =>
    (await runInProcess(['complete-words', what, `--data=${data}`])).stdout;
  assert.equal([await complete('accounts'), await complete('keys'), existsSync(data)], ['', '', false]);
  const { code, stderr } = await runInProcess(['--data', data, 'accounts', 'create', 'studio']);
  assert.is(code, 0, stderr);
  assert.is(await complete('accounts'), 'default\tlive\nstudio\tin integration mode\n');
  const id = /has the id (\w+)/.exec(stderr)?.[1];
  assert.match(await complete('keys'), new RegExp(`^${id}\tfull, of studio$`, 'm'));
  await runInProcess(['--data', data, 'keys', 'create', '--worker']);
  assert.match(await complete('keys'), /^\w+\tworker$/m);
  const inDatabase = await runInProcess(['complete-words', 'accounts', `--data=${data}`, '--database']);
  assert.is(inDatabase.stdout, '', 'the names in the data folder are not those of the database');
});

test.run();
