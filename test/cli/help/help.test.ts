import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandGroups, commandTable } from '../../../src/cli/command-table.js';
import { settingFlags } from '../../../src/shared/settings/flags.js';
import { matchesGolden } from '../../helpers/golden.js';
import { runCli } from '../run-cli.js';
import { runInProcess } from '../run-here.js';

const width = 80;
// These have a flag for each setting.
const withSettings = ['submit', 'run', 'plan'];
const names = Object.keys(commandTable).filter((name) => !withSettings.includes(name));

test('the help of the program and of every command matches the golden files', async () => {
  const texts = await Promise.all(
    names.map(async (name) => [name, await runInProcess([name, '--help'], { width })] as const),
  );
  for (const [name, { code, stdout, stderr }] of [
    ...texts,
    ['venc', await runCli(['--help'], { env: { COLUMNS: String(width) } })] as const,
  ]) {
    assert.equal([code, stderr], [0, ''], name);
    matchesGolden(`cli/help/${name}.txt`, stdout);
  }
});

test('venc help COMMAND is the help of that command', async () => {
  const [by, of] = await Promise.all([
    runInProcess(['help', 'show'], { width }),
    runInProcess(['show', '--help'], { width }),
  ]);
  assert.is(by.stdout, of.stdout);
});

test('a flag for help before a command prints the help of the program, with all commands', async () => {
  const { code, stdout } = await runInProcess(['--help', 'show'], { width });
  assert.is(code, 0);
  for (const name of Object.keys(commandTable)) assert.match(stdout, new RegExp(`^  ${name}(?: |$)`, 'm'));
});

for (const name of withSettings) {
  test(`the help of ${name} begins with examples, fits a screen and refers to venc help settings`, async () => {
    const { stdout } = await runInProcess([name, '--help'], { width });
    assert.match(stdout, new RegExp(`^Examples:\n  venc ${name} `));
    assert.ok(stdout.trimEnd().split('\n').length <= 60, stdout);
    assert.match(stdout, /venc help settings/);
    for (const flag of ['--width', '--test', '--no-test', '--notify']) {
      assert.not.match(stdout, new RegExp(`^ +${flag} `, 'm'), flag);
    }
    for (const flag of ['--idempotency-key', '--xml', '--ndjson']) {
      assert.is(stdout.includes(flag), name === 'submit', flag);
    }
    matchesGolden(`cli/help/${name}.txt`, stdout);
  });
}

test('venc help settings has every flag of a setting, with range and default', async () => {
  const { stdout } = await runInProcess(['help', 'settings'], { width });
  for (const { flag } of settingFlags()) assert.match(stdout, new RegExp(`^  ${flag}(?: |$)`, 'm'), flag);
  assert.match(stdout, /^ {2}--rotate <rotate> +degrees to rotate .*\n(?: .*\n)* .*default:\s+rotated/m);
  matchesGolden('cli/help/settings.txt', stdout);
});

test('every command is in a group of the help, and no group is empty', async () => {
  const { stdout } = await runInProcess(['--help'], { width });
  for (const heading of Object.values(commandGroups)) assert.match(stdout, `\n${heading}\n  `);
  assert.not.match(stdout, '\nCommands:\n');
});

for (const columns of [60, 80, 140]) {
  test(`the help of every command fits ${columns} columns, except its examples`, async () => {
    for (const name of ['', ...Object.keys(commandTable)]) {
      const { stdout } = await runInProcess([...name.split(' ').filter((word) => word !== ''), '--help'], {
        width: columns,
      });
      for (const line of stdout.split('\n')) {
        assert.ok(line.length <= columns || /^ {2}(venc|echo) /.test(line), `${name}: ${line}`);
      }
    }
  });
}

test.run();
