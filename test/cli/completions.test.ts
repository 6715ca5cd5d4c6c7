import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTree, loadProgram } from '../../src/cli/command-tree.js';
import { completionFiles, shells } from '../../src/cli/completion/shells.js';
import { createIo } from '../../src/cli/terminal/io.js';
import { settingFlags } from '../../src/shared/settings/flags.js';
import { tempFolder } from '../helpers/temp.js';
import { areInstalled, envOf, startJobService, startSilentService } from './completion-service.js';
import { runCli } from './run-cli.js';
import { completionsOf, runInProcess } from './run-here.js';

const io = createIo(process, false, (code) => process.exit(code));
const tree = commandTree(await loadProgram(io));
const commands = [tree, ...tree.commands.flatMap((one) => [one, ...one.commands])];

const service = await startJobService();
const silent = await startSilentService();

for (const shell of shells) {
  const file = `completions/${completionFiles[shell]}`;
  (areInstalled(shell) ? test : test.skip)(`${shell} loads its completions without an error`, () => {
    execFileSync(shell, ['-n', file]);
  });
}

/** The words that are offered, without their descriptions. */
async function wordsAfter(...typed: readonly string[]): Promise<readonly string[]> {
  return (await completionsOf(typed)).split('\n').map((line) => line.replace(/\t.*/, ''));
}

for (const { path, flags, commands: subcommands } of commands) {
  test(`every flag and subcommand of venc ${path.join(' ')} is completed`, async () => {
    const names = subcommands.map(({ path: words }) => words.at(-1));
    if (names.length > 0) assert.equal((await wordsAfter(...path, '')).slice(0, names.length), names);
    const offered = await wordsAfter(...path, '-');
    for (const { long, short } of flags)
      for (const name of [long, short]) assert.ok(name === null || offered.includes(name), `${name}`);
    assert.ok(offered.includes('--target') && offered.includes('-h'));
  });
}

test('every choice of a setting is completed, in all forms', async () => {
  for (const { flag, name, choices, path } of settingFlags().filter((one) => one.choices.length > 0)) {
    assert.equal((await wordsAfter('submit', flag, '')).slice(0, -1), choices, flag);
    const joined = (await wordsAfter('submit', `${flag}=`)).slice(0, -1);
    assert.equal(
      joined,
      choices.map((word) => `${flag}=${word}`),
    );
    if (path === 'job') continue;
    const setting = `--output=width=1,${name}=`;
    assert.equal(
      (await wordsAfter('run', setting)).slice(0, -1),
      choices.map((word) => `${setting}${word}`),
    );
  }
});

test('the topics of the help are completed, and the words of completions are ASCII', async () => {
  assert.ok((await wordsAfter('help', '')).includes('recipes'));
  for (const typed of [[''], ['help', ''], ['submit', '-'], ['config', 'set', '']])
    assert.not.match(await completionsOf(typed), /[^\n\t -~]/);
});

(areInstalled('zsh') ? test : test.skip)('zsh loads the script even if compinit was not called', () => {
  const line = `source completions/${completionFiles.zsh} 2>&1; echo $_comps[venc]`;
  const env = { ...process.env, HOME: tempFolder() };
  assert.is(execFileSync('zsh', ['-f', '-c', line], { env, encoding: 'utf8' }), '_venc\n');
});

test('venc completion prints the contents of the file', async () => {
  const { code, stdout, stderr } = await runCli(['completion', 'fish']);
  assert.equal([code, stderr], [0, '']);
  assert.is(stdout, readFileSync('completions/venc.fish', 'utf8'));
});

const answers = [
  [
    'show',
    '@last\tjob 12, processing, film12.mov\n12\tprocessing, film12.mov\n11\tfailed, film11.mov\n10\tfinished, film10.mov\n',
  ],
  ['cancel', '12\tprocessing, film12.mov\n'],
  ['resubmit', '12\tprocessing, film12.mov\n11\tfailed, film11.mov\n'],
  ['input', '3\tprocessing, film12.mov\n2\tfailed, film11.mov\n1\tfinished, film10.mov\n'],
  ['output', '112\tprocessing, web\n111\tfailed, for the web\n110\tfinished, $(x)\n'],
  ['submit --label', 'web\tof job 12\nfor the web\tof job 11\n$(x)\tof job 10\n'],
  ['submit --grouping', 'team:a\tof job 12\n'],
  [
    'progress',
    '@last\tjob 12, processing, film12.mov\n12\tprocessing, film12.mov\n11\tfailed, film11.mov\n10\tfinished, film10.mov\n',
  ],
  ['progress --input', '3\tprocessing, film12.mov\n2\tfailed, film11.mov\n1\tfinished, film10.mov\n'],
  ['progress --output', '112\tprocessing, web\n111\tfailed, for the web\n110\tfinished, $(x)\n'],
] as const;

for (const [what, expected] of answers) {
  test(`a completion of venc ${what} is newest first, without secrets`, async () => {
    // A busy machine may take longer than the time limit of a real completion.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const offered = await completionsOf([...what.split(' '), ''], envOf(service));
      if (offered === '') continue;
      return assert.is(offered, expected);
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
    const { code, stdout, stderr } = await runCli(['__complete', 'bash'], { env, stdin: 'show\0\0' });
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
  const stdout = await completionsOf(['target', 'use', ''], env);
  assert.match(stdout, /^local\t/);
  assert.match(stdout, /^depot\thttps:\/\/example\.com$/m);
  assert.not.match(stdout, /topsecret|:p@/);
  assert.ok(added.code === 0 || added.code === 2);
});

test('names of accounts and ids of keys are completed, and none are created', async () => {
  const data = join(tempFolder(), 'data');
  const complete = (what: 'accounts' | 'keys', ...flags: string[]) =>
    completionsOf([
      ...flags,
      `--data=${data}`,
      ...(what === 'keys' ? ['keys', 'revoke', ''] : ['accounts', 'show', '']),
    ]);
  assert.equal([await complete('accounts'), await complete('keys'), existsSync(data)], ['', '', false]);
  const { code, stderr } = await runInProcess(['--data', data, 'accounts', 'create', 'studio']);
  assert.is(code, 0, stderr);
  assert.is(await complete('accounts'), 'default\tlive\nstudio\tin integration mode\n');
  const id = /has the id (\w+)/.exec(stderr)?.[1];
  assert.match(await complete('keys'), new RegExp(`^${id}\tfull, of studio$`, 'm'));
  await runInProcess(['--data', data, 'keys', 'create', '--worker']);
  assert.match(await complete('keys'), /^\w+\tworker$/m);
  const inDatabase = await completionsOf([
    'accounts',
    'show',
    '--data',
    data,
    '--database',
    'postgres://h/d',
    '',
  ]);
  assert.is(inDatabase, '', 'the names in the data folder are not those of the database');
});

test.run();
