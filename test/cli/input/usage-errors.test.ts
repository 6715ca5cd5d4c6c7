import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTree, type FlagNode, loadProgram } from '../../../src/cli/command-tree.js';
import { createIo } from '../../../src/cli/terminal/io.js';
import { runInProcess } from '../run-here.js';

const tree = commandTree(await loadProgram(createIo(process, false, (code) => process.exit(code))));
const commands = tree.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one]));

/** Arguments that complete a command except for the tested flag. */
const words: Readonly<Record<string, readonly string[]>> = {
  ...{
    submit: ['film.mov'],
    run: ['film.mov'],
    plan: ['film.mov'],
    compare: ['a.mp4', 'b.mov'],
    frame: ['film.mov'],
    sheet: ['film.mov', '4x5'],
    join: ['a.mp4', 'b.mp4'],
    completion: ['bash'],
  },
  ...Object.fromEntries(
    ['show', 'input', 'output', 'progress', 'wait', 'download', 'keys revoke'].map((name) => [name, ['1']]),
  ),
  'accounts create': ['studio'],
  'accounts show': ['studio'],
  'accounts live': ['studio'],
  'accounts quota': ['studio'],
  'accounts integration': ['studio'],
  'target add': ['studio', 'http://localhost'],
  'target use': ['studio'],
  'target remove': ['studio'],
  'credentials add': ['films'],
  'credentials remove': ['films'],
  'preset save': ['web'],
  'preset show': ['web'],
  'preset remove': ['web'],
  'config get': ['color'],
  'config set': ['color'],
  backup: ['folder'],
  restore: ['folder'],
};

const env = { VENC_URL: 'http://127.0.0.1:1', VENC_API_KEY: 'k' };

async function assertRejected(
  path: readonly string[],
  given: readonly string[],
  name: string,
): Promise<void> {
  const all = [...path, ...(words[path.join(' ')] ?? []), ...given];
  const { code, stdout, stderr } = await runInProcess(all, { env });
  const title = `venc ${all.join(' ')}: ${stderr}`;
  assert.equal([code, stdout], [2, ''], title);
  const [first = ''] = stderr.split('\n');
  assert.match(first, /^venc: .{10,}/, title);
  assert.ok(first.includes(name), title);
  assert.not.match(stderr, /undefined|null|NaN|\[object|^ +at /m, title);
}

async function each(what: (flag: FlagNode, path: readonly string[]) => Promise<void>): Promise<void> {
  for (const { path, flags } of commands) for (const flag of flags) await what(flag, path);
  for (const flag of tree.flags) await what(flag, ['list']);
}

test('every flag with a value is named if the value is missing', () =>
  each(async ({ long, argument }, path) => {
    // A value in brackets may be omitted.
    if (argument?.startsWith('<')) await assertRejected(path, [long], long);
  }));

test('every flag with a value is named if the value is empty, also twice', () =>
  each(async ({ long, argument }, path) => {
    if (argument === null) return;
    await assertRejected(path, [`${long}=`], long);
    await assertRejected(path, [long, '', long, ''], long);
  }));

test('every flag without a value is named if it gets one', () =>
  each(async ({ long, argument }, path) => {
    if (argument === null) await assertRejected(path, [`${long}=yes`], long);
  }));

test('every flag with a fixed set of values is named if it gets another', () =>
  each(async ({ long, choices, heading }, path) => {
    // The service validates the values of settings.
    if (choices.length > 0 && heading === null) await assertRejected(path, [long, 'garb\u0007age{'], long);
  }));

test('every flag for numbers, times and sizes is named if it gets something else', () =>
  each(async ({ long, argument, heading }, path) => {
    if (heading !== null || !/^<(number|time|size|day)>$/.test(argument ?? '')) return;
    for (const word of ['garb\u0007age{', '-1', '1e999', '99999999999999999999x', '٣']) {
      await assertRejected(path, [`${long}=${word}`], long);
    }
  }));

const sentences: readonly (readonly [string, string, string])[] = [
  ['submit', 'submit needs an input, or a list of inputs with --from.', 'for example: venc submit film.mov'],
  [
    'accounts show',
    "missing required argument 'name'",
    'venc accounts show [options] <name>; name: name of the account',
  ],
  ['--target x show', "missing required argument 'id'", 'venc show [options] <id...>; id: ids of jobs'],
  [
    'plan my film.mov',
    "too many arguments for 'plan'.",
    'venc plan [options] <input>; quote an argument that contains spaces',
  ],
  [
    'plan package.json tsconfig.json biome.json',
    "too many arguments for 'plan'.",
    'venc plan [options] <input>; one file at a time: for file in *.json; do venc plan "$file"; done',
  ],
  ['list extra', "too many arguments for 'list'.", 'venc list [options]; it takes only flags'],
  [
    'list --state',
    '--state needs a value: <states>.',
    'only jobs in these states, comma-separated: pending, ',
  ],
  ['list --xyzzy', "unknown option '--xyzzy'", 'venc list --help lists the flags'],
  [
    'submit -film.mov',
    "unknown option '-film.mov'",
    'put a name that begins with a dash after --: venc submit -- -film.mov',
  ],
  ['accounts xyzzy', "unknown command 'xyzzy'", 'venc accounts --help lists the commands'],
  ['xyzzy', "unknown command 'xyzzy'", 'venc --help lists the commands'],
  ['list --jso', "unknown option '--jso'", 'did you mean --json'],
];

for (const [typed, message, hint] of sentences) {
  test(`venc ${typed} says what to type instead`, async () => {
    const { code, stderr } = await runInProcess(typed.split(' '), { env });
    assert.is(code, 2);
    const [first = '', second = ''] = stderr.split('\n');
    assert.ok(first.startsWith(`venc: ${message}`), stderr);
    assert.ok(second.startsWith(`venc: hint: ${hint}`), stderr);
  });
}

for (const name of ['submit', 'run', 'plan']) {
  test(`venc ${name} accepts a name that begins with a dash after --`, async () => {
    const { code, stderr } = await runInProcess([name, '--', '-film.mov'], { env });
    assert.is(code, 2);
    assert.match(stderr, 'venc: -film.mov cannot be read: there is no such file.');
  });
}

test('a request that nests too deep is rejected', async () => {
  const stdin = `{"input":"http://127.0.0.1:1/a.mp4","pass_through":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  const { code, stderr } = await runInProcess(['plan', '-'], { stdin });
  assert.is(code, 2);
  assert.is(stderr, 'venc: The request on stdin is nested too deeply.\n');
});

test.run();
