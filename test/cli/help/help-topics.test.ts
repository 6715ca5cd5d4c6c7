import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTree, loadProgram } from '../../../src/cli/command-tree.js';
import { helpTopics } from '../../../src/cli/help/topics.js';
import { flagSynonyms } from '../../../src/cli/input/synonyms.js';
import { createIo } from '../../../src/cli/terminal/io.js';
import { exitCodes } from '../../../src/shared/exit-codes.js';
import { outputTable } from '../../../src/shared/settings/index.js';
import { readSources } from '../../helpers/architecture/source-file.js';
import { runInProcess } from '../run-here.js';

const tree = commandTree(await loadProgram(createIo(process, false, (code) => process.exit(code))));
const commands = tree.commands.flatMap((one) => [one, ...one.commands]);
const globals = tree.flags.map(({ long }) => long);

for (const [name, { summary }] of Object.entries(helpTopics)) {
  test(`venc help ${name} explains it, in lines that fit the terminal`, async () => {
    const { code, stdout, stderr } = await runInProcess(['help', name], { width: 60 });
    assert.equal([code, stderr], [0, '']);
    // Examples are not wrapped, so that they can be copied.
    for (const line of stdout.split('\n')) assert.ok(line.length <= 60 || /^ +\S/.test(line), line);
    assert.match((await runInProcess(['help'])).stdout, `  ${name} `);
    assert.match((await runInProcess(['--help'])).stdout, summary);
  });

  test(`every flag and command in venc help ${name} exists`, async () => {
    const { stdout } = await runInProcess(['help', name]);
    for (const [, word = ''] of stdout.matchAll(/\bvenc ([a-z]+)\b/g)) {
      assert.ok(word === 'help' || commands.some(({ path }) => path[0] === word), `venc ${word}`);
    }
    const known = new Set([
      ...globals,
      '--help',
      // Arguments of other programs.
      ...Object.keys(flagSynonyms),
      ...commands.flatMap(({ flags }) => flags.map(({ long }) => long)),
    ]);
    for (const [flag] of stdout.matchAll(/(?<![\w-])--[a-z][a-z\d-]*/g)) assert.ok(known.has(flag), flag);
  });
}

test('the topics contain every exit code and every setting that is applied', async () => {
  const codes = (await runInProcess(['help', 'exit-codes'])).stdout;
  for (const code of Object.values(exitCodes)) assert.match(codes, new RegExp(`^ +${code}  \\w`, 'm'));
  const settings = (await runInProcess(['help', 'settings'])).stdout;
  for (const [name, { kind }] of Object.entries(outputTable)) {
    if (kind === 'unchecked') continue;
    assert.match(settings, new RegExp(`(--${name.replaceAll('_', '-')}|\\b${name})\\b`));
  }
});

test('every environment variable of the program is in venc help environment or the manual of the daemon', async () => {
  const helpText = `${(await runInProcess(['help', 'environment'])).stdout}${readFileSync('man/venc-daemon.8', 'utf8')}`;
  const sources = readSources(process.cwd(), ['src', 'daemon']);
  const names = new Set(
    sources.flatMap(({ text }) => text.match(/\bVENC_[A-Z_]+\b|(?<=env\.)NO_COLOR/g) ?? []),
  );
  assert.ok(names.size > 10);
  for (const name of names) assert.match(helpText, new RegExp(`\\b${name}\\b`), name);
});

for (const [typed, meant] of [
  ['setings', 'settings'],
  ['exit', 'exit-codes'],
  ['submti', 'submit'],
] as const) {
  test(`venc help ${typed} suggests ${meant}`, async () => {
    const { code, stderr } = await runInProcess(['help', typed]);
    assert.is(code, 2);
    assert.match(stderr, `venc: unknown command '${typed}'\nvenc: hint: did you mean ${meant}`);
  });
}

test('a word without a suggestion gets a pointer to the help', async () => {
  const { stderr } = await runInProcess(['help', 'xyzzy']);
  assert.match(stderr, 'venc help lists them all');
});

const subjects: readonly (readonly [string, RegExp])[] = [
  ['help accounts crate', /unknown command 'crate' within accounts\nvenc: hint: did you mean create\?/],
  ['help accounts xyzzy', /unknown command 'xyzzy' within accounts\nvenc: hint: see venc help accounts/],
  ['help submit extra', /unknown command 'extra' within submit\n/],
  ['recipes', /unknown command 'recipes'\nvenc: hint: see venc help recipes/],
];

for (const [typed, hint] of subjects) {
  test(`venc ${typed} says what to type instead`, async () => {
    const { code, stderr } = await runInProcess(typed.split(' '));
    assert.is(code, 2);
    assert.match(stderr, hint);
  });
}

for (const [typed, same] of [
  ['--no-color help settings', 'help settings'],
  ['--target x help submit', 'submit --help'],
  ['help', '--help'],
  ['help help', '--help'],
  ['help accounts create', 'accounts create --help'],
] as const) {
  test(`venc ${typed} is equivalent to venc ${same}`, async () => {
    const [one, other] = [await runInProcess(typed.split(' ')), await runInProcess(same.split(' '))];
    assert.equal([one.code, one.stderr], [0, '']);
    assert.is(one.stdout, other.stdout);
  });
}

test('venc help of a subcommand is its help', async () => {
  const { stdout } = await runInProcess(['help', 'accounts', 'create']);
  assert.match(stdout, 'Usage: venc accounts create [options] <name>');
});

test('a typo in the name of any command gets that name as a suggestion', async () => {
  for (const { path } of commands) {
    const name = path.at(-1) ?? '';
    const slip = `${name.slice(0, -1)}${name.length > 3 ? '' : name.at(-1)}${name.length > 3 ? 'x' : 'x'}`;
    const { code, stderr } = await runInProcess([...path.slice(0, -1), slip]);
    assert.is(code, 2, slip);
    assert.match(stderr, new RegExp(`venc: hint: did you mean .*\\b${name}\\b`), slip);
  }
});

test('a typo in any flag of any command gets that flag as a suggestion', async () => {
  for (const { path, flags } of commands) {
    for (const { long, isHidden } of flags) {
      if (isHidden) continue;
      const slip = `${long}x`;
      const { code, stderr } = await runInProcess([...path, slip]);
      assert.is(code, 2, `${path.join(' ')} ${slip}`);
      assert.match(
        stderr,
        new RegExp(`venc: hint: did you mean .*${long}\\b`),
        `${path.join(' ')} ${slip}: ${stderr}`,
      );
    }
  }
});

test.run();
