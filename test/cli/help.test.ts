import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTable } from '../../src/cli/command-table.js';
import { matchesGolden } from '../helpers/golden.js';
import { runCli } from './run-cli.js';

const env = { COLUMNS: '80' };
// These two have a flag for each setting: their help follows from the tables in src/api/settings, which have tests of their own.
const withSettings = ['submit', 'run'];
const names = Object.keys(commandTable).filter((name) => !withSettings.includes(name));

test('the help of the program and of every command is as it was agreed', async () => {
  const texts = await Promise.all(
    names.map(async (name) => [name, await runCli([name, '--help'], { env })] as const),
  );
  for (const [name, { code, stdout, stderr }] of [
    ...texts,
    ['venc', await runCli(['--help'], { env })] as const,
  ]) {
    assert.equal([code, stderr], [0, ''], name);
    matchesGolden(`cli/help/${name}.txt`, stdout);
  }
});

test('venc help COMMAND is the help of that command', async () => {
  const [by, of] = await Promise.all([
    runCli(['help', 'show'], { env }),
    runCli(['show', '--help'], { env }),
  ]);
  assert.is(by.stdout, of.stdout);
});

for (const name of withSettings) {
  test(`the help of ${name} has every setting, and nothing that is not there yet`, async () => {
    const { stdout } = await runCli([name, '--help'], { env });
    for (const flag of ['--width', '--video-codec', '--start-clip', '--test', '--output', '--watermark']) {
      assert.match(stdout, new RegExp(`^ +${flag} `, 'm'), flag);
    }
    assert.match(stdout, 'Output settings (for every output):');
    for (const flag of ['--no-test', '--idempotency-key', '--stage', '--xml']) {
      assert.not(stdout.includes(flag), flag);
    }
    assert.is(stdout.includes('--notify <url>'), name === 'submit');
  });
}

test.run();
