import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../helpers/temp.js';
import { type CliResult, startCli } from './run-cli.js';

const test = suite('unusable folders');

/** Milliseconds after which a program counts as endless. */
const timeoutMs = 30_000;

async function venc(words: string, env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  const run = startCli(words.split(' '), { env });
  const timer = setTimeout(() => run.child.kill('SIGKILL'), timeoutMs);
  const result = await run.ended;
  clearTimeout(timer);
  return result;
}

// Not even root can create a folder there, and the recursive mkdir of Node retries endlessly.
const nowhere = '/proc/venc/a';

if (existsSync('/proc/self')) {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    [`daemon --port 0 --data ${nowhere}`, {}, /data folder \/proc\/venc\/a cannot be used: /],
    [`accounts list --data ${nowhere}`, {}, /data folder \/proc\/venc\/a cannot be used: /],
    ['keys create', { VENC_DATA: nowhere }, /data folder \/proc\/venc\/a cannot be used: /],
    ['config set progress none', { XDG_CONFIG_HOME: nowhere }, /config\.json cannot be written: /],
    ['target use local', { HOME: nowhere, XDG_CONFIG_HOME: '' }, /config\.json cannot be written: /],
  ];
  for (const [words, env, expectedText] of cases) {
    test(`venc ${words} is rejected if no folder can be created`, async () => {
      const { code, stdout, stderr } = await venc(words, env);
      assert.is(code, 2, stderr);
      assert.is(stdout, '');
      assert.match(stderr, expectedText);
      assert.match(stderr, /\nvenc: hint: /);
    });
  }
}

test('a file in place of a folder is reported as such', async () => {
  const root = tempFolder();
  writeFileSync(join(root, 'file'), '');
  for (const data of ['file', 'file/below']) {
    const { code, stderr } = await venc(`daemon --port 0 --data ${join(root, data)}`);
    assert.is(code, 2, stderr);
    assert.match(stderr, /cannot be used: there is a file where a folder should be\./);
  }
  mkdirSync(join(root, 'config', 'venc', 'config.json'), { recursive: true });
  const env = { XDG_CONFIG_HOME: join(root, 'config') };
  const { code, stderr } = await venc('config set progress none', env);
  assert.is(code, 2, stderr);
  assert.match(stderr, /config\.json cannot be written: /);
});

test.run();
