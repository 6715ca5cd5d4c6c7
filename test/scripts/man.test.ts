import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { manPages } from '../../scripts/docs/man/pages.js';
import { blocksOf, roffPage } from '../../scripts/docs/man/roff.js';
import { commandTable } from '../../src/cli/command-table.js';
import { createIo } from '../../src/cli/terminal/io.js';
import { settingFlags } from '../../src/shared/settings/flags.js';

const pages = await manPages(createIo(process, false, (code) => process.exit(code)));
const { man }: { man: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const [name, page] of Object.entries(pages)) {
  test(`man/${name} matches the commands; npm run docs updates it`, () => {
    assert.fixture(readFileSync(`man/${name}`, 'utf8'), page);
  });

  test(`man/${name} is listed in the package`, () => {
    assert.ok(man.includes(`./man/${name}`));
  });

  test(`literal lines of man/${name} fit 80 columns`, () => {
    const literal = [...page.matchAll(/^\.nf\n([\s\S]*?)\n\.fi$/gm)].flatMap(([, lines = '']) =>
      lines.split('\n'),
    );
    const shown = literal.map((line) => line.replaceAll('\\&', '').replace(/\\(\(..|\[\w+\]|.)/g, 'x'));
    const indent = 9;
    assert.equal(
      shown.filter((line) => indent + line.length > 80),
      [],
    );
  });

  const linter = has('mandoc') ? test : test.skip;
  linter(`mandoc reports nothing about man/${name}`, () => {
    assert.is(output('mandoc', ['-Tlint', '-Wstyle'], page), '');
  });

  const formatter = has('groff') ? test : test.skip;
  formatter(`groff reports nothing about man/${name}`, () => {
    assert.is(output('groff', ['-ww', '-man', '-Tascii', '-z'], page), '');
  });
}

test('the manual has every command and setting with its flags, and no formatting characters remain', () => {
  const page = pages['venc.1'] ?? '';
  for (const name of Object.keys(commandTable))
    assert.match(page, new RegExp(`^\\.SS venc ${name}\\b`, 'm'), name);
  const hasFlag = (text: string | undefined, flag: string) =>
    assert.ok(text?.includes(`.B ${flag.replaceAll('-', '\\-')}`), flag);
  for (const flag of ['--target', '--jsonl']) hasFlag(page, flag);
  for (const { flag } of settingFlags()) hasFlag(pages['venc-settings.5'], flag);
  assert.match(pages['venc-daemon.8'] ?? '', '.B \\-\\-files\\-root <folder>');
});

test('text that looks like formatting is escaped', () => {
  const head = { name: 'X', section: 1, day: '2026-01-01', source: 'x' };
  const page = roffPage(head, [{ kind: 'section', title: 'a' }, ...blocksOf(".so it\n  'a\\b\n  .sp -1 …")]);
  assert.equal(page.split('\n').slice(4), [
    '.SH A',
    '\\&.so it',
    '.PP',
    '.RS 2',
    '.nf',
    '\\(aqa\\eb',
    '\\&.sp \\-1 \\[u2026]',
    '.fi',
    '.RE',
    '',
  ]);
});

test('a term table becomes one list, and literal lines keep their form from the first one', () => {
  assert.equal(blocksOf('\n  --a NAME   the one\n  VENC_B     the other\n'), [
    { kind: 'term', term: '--a NAME', text: 'the one' },
    { kind: 'term', term: 'VENC_B', text: 'the other' },
  ]);
  assert.equal(blocksOf('\n  venc a\n  venc b   comment\n'), [
    { kind: 'literal', lines: ['venc a', 'venc b   comment'] },
  ]);
});

function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`skipped, ${program} is not installed: apt-get install ${program}\n`);
    return false;
  }
}

/** The output of a program about a page, from stdout and stderr, whatever its exit code. */
function output(program: string, words: readonly string[], page: string): string {
  try {
    return execFileSync('sh', ['-c', '"$@" 2>&1 || true', 'sh', program, ...words], {
      input: page,
      encoding: 'utf8',
    });
  } catch (error) {
    return String(error);
  }
}

test.run();
