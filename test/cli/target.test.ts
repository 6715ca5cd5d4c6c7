import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configKeys } from '../../src/config/config.js';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import type { CliResult } from './run-cli.js';
import { runInProcess } from './run-here.js';

interface Context {
  service: FakeService;
  home: string;
  /** Runs a command in its own home. */
  venc: (words: string, stdin?: string, env?: Record<string, string>) => Promise<CliResult>;
}

const test = suite<Context>('venc target and venc config');

test.before(async (context) => {
  context.service = await startFakeService();
});
test.after(({ service }) => service.close());
test.before.each((context) => {
  context.home = tempFolder();
  context.venc = (words, stdin, env = {}) =>
    runInProcess(words.split(' '), {
      env: { XDG_CONFIG_HOME: context.home, ...env },
      ...(stdin === undefined ? {} : { stdin }),
    });
});

const secret = 'key-of-the-fake-service';

test('a target is stored with its key for only the owner, and the key is never printed', async ({
  service,
  home,
  venc,
}) => {
  const added = await venc(`target add studio.eu ${service.url}/v2/`, `${secret}\n`);
  assert.equal([added.code, added.stdout], [0, ''], added.stderr);
  const path = join(home, 'venc', 'targets.json');
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(JSON.parse(readFileSync(path, 'utf8')), { 'studio.eu': { url: service.url, key: secret } });
  const listed = await venc('target list --json');
  assert.equal(JSON.parse(listed.stdout), [{ name: 'studio.eu', url: service.url, in_use: false }]);
  for (const words of ['target list', 'target list --jsonl', 'config list']) {
    const { code, stdout, stderr } = await venc(words);
    assert.is(code, 0, stderr);
    assert.not.ok(`${stdout}${stderr}`.includes(secret), words);
  }
  assert.not.ok(`${added.stderr}${listed.stdout}`.includes(secret));
});

test('the flag takes precedence over the variables, these over the current target, and that over the daemon', async ({
  service,
  venc,
}) => {
  await venc(`target add studio ${service.url}`, secret);
  await venc('target add nowhere http://127.0.0.1:1', 'k');
  const good: Record<string, string> = { VENC_URL: service.url, VENC_API_KEY: secret };
  const bad: Record<string, string> = { VENC_URL: 'http://127.0.0.1:1', VENC_API_KEY: 'k' };
  const cases: readonly (readonly [string, Record<string, string>, number, RegExp])[] = [
    ['show 1001', {}, 3, /No daemon is running/],
    ['show 1001 --target studio', { VENC_TARGET: 'nowhere', ...bad }, 0, /^$/],
    ['--target studio show 1001', {}, 0, /^$/],
    ['show 1001', { VENC_TARGET: 'studio', ...bad }, 0, /^$/],
    ['show 1001 --target nowhere', good, 3, /127\.0\.0\.1:1 could not be reached.*\n.*the target nowhere/],
    ['show 1001 --target local', good, 3, /No daemon is running/],
    ['show 1001 --target stdio', {}, 2, /no target "stdio"\.\nvenc: hint: did you mean studio\?/],
    ['show 1001', { VENC_TARGET: '' }, 3, /No daemon is running/],
  ];
  for (const [words, env, code, expectedText] of cases) {
    const result = await venc(words, undefined, env);
    assert.is(result.code, code, `${words}: ${result.stderr}`);
    assert.match(result.stderr, expectedText);
  }
  const used = await venc('target use studio', undefined, { VENC_URL: 'http://h' });
  assert.match(used.stderr, /VENC_URL is set and overrides it/);
  assert.is((await venc('show 1001')).code, 0);
  assert.is((await venc('show 1001', undefined, bad)).code, 3);
  assert.match((await venc('target list')).stdout, /^studio +yes +http/m);
  const removed = await venc('target remove studio');
  assert.match(removed.stderr, /it was in use/);
  assert.match((await venc('show 1001')).stderr, /No daemon is running/);
});

test('an invalid target is rejected with 2, and nothing is stored', async ({ venc }) => {
  await venc('target add studio http://h', 'k');
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['target add studio http://h', 'k', /already a target studio\.\nvenc: hint: replace it with --force/],
    ['target add local http://h', 'k', /always the local daemon/],
    ['target add -- -x http://h', 'k', /1 to 64 characters/],
    ['target add a/b http://h', 'k', /1 to 64 characters/],
    ['target add other ftp://h', 'k', /not the address of a service/],
    ['target add other http://h/?a=b', 'k', /not the address of a service.*\n.* without \? and #/],
    ['target add other http://h', '', /No key was given/],
    ['target add other http://h', 'a key', /spaces or characters other than ASCII/],
    ['target add other http://h --key k', 'k', /unknown option '--key'/],
    ['target use studo', '', /did you mean studio\?/],
    ['target remove nothing-like-it', '', /venc target list shows all targets/],
    ['config set target studo', '', /did you mean studio\?/],
    ['config set progres plain', '', /did you mean progress\?/],
    [
      'config set progress plan',
      '',
      /progress must be auto, tty, plain, json, none\.\nvenc: hint: did you mean plain/,
    ],
    ['config set url h', '', /must begin with http/],
    ['config set port 70000', '', /^venc: port takes a whole number from 0 to 65535, not "70000"\.\n$/],
    ['config set --unset prot', '', /did you mean port\?/],
    ['config set log-format txt', '', /log-format must be text, json\.\nvenc: hint: did you mean text\?/],
    ['config set allow-private-network yes', '', /allow-private-network must be true, false\./],
    ['config set rebuild-usage true', '', /There is no key "rebuild-usage"/],
    ['config set ffmpeg', '', /either a value or --unset/],
    ['config get nothing-like-it', '', /the keys are ffmpeg/],
  ];
  for (const [words, stdin, expectedText] of cases) {
    const result = await venc(words, stdin);
    assert.equal([result.code, result.stdout], [2, ''], `${words}: ${result.stderr}`);
    assert.match(result.stderr, expectedText);
  }
  assert.equal(JSON.parse((await venc('target list --json --fields name')).stdout), [{ name: 'studio' }]);
});

test('a key of the configuration can be set, shown, listed and removed', async ({ home, venc }) => {
  assert.equal(await venc('config get data'), { code: 0, signal: null, stdout: '', stderr: '' });
  const listed = async (env?: Record<string, string>) => {
    const all: readonly Record<string, unknown>[] = JSON.parse(
      (await venc('config list --json', undefined, env)).stdout,
    );
    return all.filter(({ from }) => from !== 'default').map(({ key, value, from }) => ({ key, value, from }));
  };
  assert.equal(await listed(), []);
  assert.is((await venc('config path')).stdout, `${join(home, 'venc', 'config.json')}\n`);
  assert.is((await venc('config set data /srv/venc')).code, 0);
  assert.is((await venc('config set progress none')).code, 0);
  assert.is((await venc('config get data')).stdout, '/srv/venc\n');
  const from = join(home, 'venc', 'config.json');
  assert.equal(await listed(), [
    { key: 'data', value: '/srv/venc', from },
    { key: 'progress', value: 'none', from },
  ]);
  const louder = { VENC_DATA: '/elsewhere', VENC_URL: 'https://user:hunter2@h' };
  assert.equal(await listed(louder), [
    { key: 'data', value: '/elsewhere', from: 'VENC_DATA' },
    { key: 'url', value: 'https://user@h', from: 'VENC_URL' },
    { key: 'progress', value: 'none', from },
  ]);
  assert.match((await venc('list')).stderr, /data folder \/srv\/venc/);
  assert.is((await venc('config set data --unset')).code, 0);
  assert.is((await venc('config get data')).stdout, '');
});

test('an error of the configured address names the configuration, and not a variable', async ({ venc }) => {
  await venc('config set url http://127.0.0.1:1');
  assert.match((await venc('list')).stderr, /^venc: The configured url is http:\/\/127\.0\.0\.1:1, but/);
  const unreachable = await venc('list', undefined, { VENC_API_KEY: 'k' });
  assert.match(unreachable.stderr, /hint: check the configured address: venc config list;/);
  const other = { VENC_URL: 'http://127.0.0.1:2' };
  assert.match((await venc('list', undefined, other)).stderr, /^venc: VENC_URL is http:\/\/127\.0\.0\.1:2/);
});

test('relative paths are stored as absolute paths, names of programs unchanged', async ({ venc }) => {
  for (const [words, stored] of [
    ['data here', resolve('here')],
    ['ffmpeg bin/ffmpeg', resolve('bin/ffmpeg')],
    ['ffmpeg ffmpeg', 'ffmpeg'],
    ['files-root films:/srv/songs', `${resolve('films')}:/srv/songs`],
  ] as const) {
    assert.is((await venc(`config set ${words}`)).code, 0);
    assert.is((await venc(`config get ${words.split(' ')[0]}`)).stdout, `${stored}\n`);
  }
});

test('config list shows every key with its effective value', async ({ home, venc }) => {
  assert.is((await venc('config set port 9000')).code, 0);
  const keys: readonly Record<string, unknown>[] = JSON.parse((await venc('config list --json')).stdout);
  assert.equal(
    keys.map(({ key }) => key),
    configKeys,
  );
  const find = (name: string) => keys.find(({ key }) => key === name);
  for (const one of keys) assert.ok(one.default !== '', String(one.key));
  assert.equal(find('port'), {
    key: 'port',
    value: '9000',
    from: join(home, 'venc', 'config.json'),
    default: '8686',
  });
  assert.equal(find('grace'), { key: 'grace', value: null, from: 'default', default: '5s' });
  const { stdout } = await venc('config list');
  assert.match(stdout, /^host +127\.0\.0\.1 +default$/m);
  assert.match(stdout, /^port +9000 +\S+config\.json$/m);
});

test('a broken configuration is reported, counts as empty, and is backed up by the next change', async ({
  home,
  venc,
}) => {
  mkdirSync(join(home, 'venc'));
  const path = join(home, 'venc', 'config.json');
  writeFileSync(path, '{"ffmpeg": ');
  const listed = await venc('config list');
  assert.is(listed.code, 0);
  assert.match(listed.stderr, /config\.json was ignored: it is not valid JSON/);
  const set = await venc('config set color never');
  assert.match(set.stderr, /was moved to .*config\.json\.broken/);
  assert.is(readFileSync(`${path}.broken`, 'utf8'), '{"ffmpeg": ');
  assert.equal(await venc('config get color'), { code: 0, signal: null, stdout: 'never\n', stderr: '' });
  writeFileSync(path, '[1]');
  assert.match((await venc('config set color never')).stderr, /moved to .*config\.json\.broken-2\n/);
  assert.is(readFileSync(`${path}.broken`, 'utf8'), '{"ffmpeg": ', 'the earlier backup is kept');
});

test('a name that cannot be stored is rejected', async ({ venc }) => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const { code, stderr } = await venc(`target add ${name} http://h`, 'k');
    assert.equal(
      [code, stderr],
      [2, `venc: ${name} cannot be the name of a target.\nvenc: hint: choose another name\n`],
    );
  }
  assert.equal(JSON.parse((await venc('target list --json')).stdout), []);
});

test('an unwritable home is reported with 2', async ({ venc }) => {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');
  const env = { XDG_CONFIG_HOME: file };
  const result = await venc('target add studio http://h', 'k', env);
  assert.equal([result.code, result.stdout], [2, ''], result.stderr);
  assert.match(result.stderr, /cannot be (written|read)/);
  assert.is((await venc('config list', undefined, env)).code, 0);
});

test.run();
