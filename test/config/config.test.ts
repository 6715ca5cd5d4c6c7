import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configPath, readConfig } from '../../src/config/config.js';
import { userFolders } from '../../src/config/folders.js';
import { tempFolder } from '../helpers/temp.js';

function configured(text: string): { XDG_CONFIG_HOME: string } {
  const env = { XDG_CONFIG_HOME: tempFolder() };
  mkdirSync(join(env.XDG_CONFIG_HOME, 'venc'));
  writeFileSync(configPath(env), text);
  return env;
}

test('without a file nothing is configured', async () => {
  assert.equal(await readConfig({ XDG_CONFIG_HOME: tempFolder() }), { config: {}, warnings: [] });
});

test('the values of the file are used', async () => {
  const found = await readConfig(configured('{"ffmpeg": "/opt/ffmpeg", "data": "/srv/venc"}'));
  assert.equal(found, { config: { ffmpeg: '/opt/ffmpeg', data: '/srv/venc' }, warnings: [] });
});

test('a broken file is reported and counts as empty', async () => {
  const { config, warnings } = await readConfig(configured('{"ffmpeg": '));
  assert.equal(config, {});
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', /was ignored/);
});

test('unknown settings and values of the wrong type are reported and ignored', async () => {
  const { config, warnings } = await readConfig(configured('{"data": 7, "colour": "x", "ffprobe": "/p"}'));
  assert.equal(config, { ffprobe: '/p' });
  assert.is(warnings.length, 2);
});

test('flags of venc daemon are validated in the file as on the command line, and may be plain numbers and booleans', async () => {
  const found = await readConfig(
    configured(
      '{"port": 0, "allow-private-network": true, "grace": "2m", "jobs": -1, "min-free": "lots", "prot": 1}',
    ),
  );
  assert.equal(found.config, { port: '0', 'allow-private-network': 'true', grace: '2m' });
  assert.is(found.warnings.length, 3);
  assert.match(
    found.warnings[0] ?? '',
    /^jobs in the configuration file .* takes a whole number from 0 to 1024, not "-1"; it is ignored, and the default is used: one per two cores\.$/,
  );
  assert.match(
    found.warnings[1] ?? '',
    /^min-free in .* takes a size such as 500MB or 2GB, not "lots"; it is ignored, /,
  );
  assert.match(found.warnings[2] ?? '', /has the unknown key prot, which is ignored; did you mean port\?$/);
});

for (const { what, leave } of [
  { what: 'the lock of a process that died', leave: (lock: string) => writeFileSync(lock, '4194304 17\n') },
  { what: 'the lock of an earlier version, a folder', leave: (lock: string) => mkdirSync(lock) },
]) {
  test(`concurrent changes are all kept, and ${what} blocks nobody`, async () => {
    const env = { XDG_CONFIG_HOME: tempFolder() };
    mkdirSync(join(env.XDG_CONFIG_HOME, 'venc'));
    leave(`${configPath(env)}.lock`);
    const module = new URL('../../src/config/change-file.js', import.meta.url).href;
    const keys = ['ffmpeg', 'ffprobe', 'data', 'url'];
    const script = `import { changeConfig } from ${JSON.stringify(module)};
    await Promise.all(process.argv.slice(1).map((key) => changeConfig(process.env, key, key)));`;
    const change = (words: readonly string[]) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, '--', ...words], {
        env: { ...process.env, ...env },
      });
    await Promise.all([change(keys.slice(0, 2)), change(keys.slice(2))]);
    assert.equal(await readConfig(env), {
      config: Object.fromEntries(keys.map((key) => [key, key])),
      warnings: [],
    });
    assert.equal(readdirSync(join(env.XDG_CONFIG_HOME, 'venc')), ['config.json']);
  });
}

test('folders follow the conventions of the platform', () => {
  assert.is(userFolders({}, 'linux', '/home/u').data, '/home/u/.local/share/venc');
  assert.is(userFolders({ XDG_DATA_HOME: '/x' }, 'linux', '/home/u').data, '/x/venc');
  assert.is(userFolders({ XDG_DATA_HOME: 'relative' }, 'linux', '/home/u').data, '/home/u/.local/share/venc');
  assert.is(userFolders({}, 'darwin', '/Users/u').data, '/Users/u/Library/Application Support/venc');
});

test.run();
