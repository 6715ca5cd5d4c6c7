import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createAccount, setQuotas } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey, createWorkerKey, listKeys, type NewKey } from '../../daemon/store/accounts/api-keys.js';
import { hashKey } from '../../daemon/store/accounts/keys.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { ask, byScript, cookieOf, sameOrigin } from '../helpers/page-client.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  owner: string;
  viewer: string;
  studio: string;
  studioKey: NewKey;
  workerKey: NewKey;
}

const test = daemonSuite<Context>('settings of the page', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const setup = openFolderSetup(daemon.dataFolder);
  await createAccount(setup, 'studio');
  await setQuotas(setup, 'studio', { waitingJobs: 5 });
  context.studioKey = await createKey(setup, 'studio', 'full', { name: 'studio-key' });
  context.workerKey = await createWorkerKey(setup, { name: 'rack' });
  const viewerKey = await createKey(setup, 'default', 'viewer', { name: 'wall' });
  context.owner = await cookieOf(daemon, daemon.key);
  context.viewer = await cookieOf(daemon, viewerKey.key);
  context.studio = await cookieOf(daemon, context.studioKey.key);
});

/** The keys, without their last uses, which a request changes. */
async function keysOf({ dataFolder }: TestDaemon) {
  const keys = await listKeys(openFolderSetup(dataFolder));
  return keys.map(({ lastUsedAt: _, ...key }) => key);
}

function create(daemon: TestDaemon, cookie: string, body: unknown) {
  const init = { method: 'POST', cookie, headers: byScript, body: JSON.stringify(body) };
  return ask(daemon, '/ui/api/keys', init);
}

function revoke(daemon: TestDaemon, cookie: string, id: string) {
  return ask(daemon, `/ui/api/keys/${id}`, { method: 'DELETE', cookie, headers: byScript });
}

function errorsOf({ text }: { readonly text: string }): readonly string[] {
  return (JSON.parse(text) as { errors: readonly string[] }).errors;
}

async function stateOf(daemon: TestDaemon, cookie: string) {
  const { status, text } = await ask(daemon, '/ui/api/settings', { cookie, headers: byScript });
  assert.is(status, 200, text);
  return JSON.parse(text) as {
    readonly keys: readonly { readonly id: string; readonly account: string | null; isOwners: boolean }[];
    readonly accounts: readonly { readonly name: string; readonly keyCount: number }[];
    readonly presets: readonly { readonly name: string; readonly source: string }[];
  };
}

test('the document shows presets, keys, accounts and commands without a script', async (context) => {
  const { daemon, owner, viewer, studioKey } = context;
  for (const cookie of [owner, viewer]) {
    const { status, text } = await ask(daemon, '/ui/settings', { cookie });
    assert.is(status, 200);
    for (const part of ['height of the video', 'studio-key', studioKey.id, 'rack', '5 waiting jobs'])
      assert.match(text, part);
    for (const command of ['venc keys rotate', 'venc accounts quota', 'venc preset list'])
      assert.match(text, command);
    assert.not.match(text, /<script(?! type="(?:module|application\/json)")| style=| onclick=/i);
  }
});

test('neither keys nor hashes nor secrets are in an answer', async ({ daemon, owner, studioKey }) => {
  for (const path of ['/ui/settings', '/ui/api/settings']) {
    const { text } = await ask(daemon, path, { cookie: owner, headers: byScript });
    for (const secret of [
      daemon.key,
      studioKey.key,
      hashKey(studioKey.key),
      'whsec_',
      '"sessions"',
      '"hash"',
    ])
      assert.not.match(text, secret);
  }
});

test('an account sees only itself', async ({ daemon, studio, workerKey }) => {
  const { keys, accounts } = await stateOf(daemon, studio);
  assert.equal(
    accounts.map(({ name }) => name),
    ['studio'],
  );
  assert.ok(keys.length > 0 && keys.every(({ account }) => account === 'studio'));
  const { text } = await ask(daemon, '/ui/settings', { cookie: studio });
  for (const hidden of [workerKey.id, 'wall', 'venc accounts']) assert.not.match(text, hidden);
});

test('a key is shown once, stored as its hash, and works at once', async ({ daemon, owner }) => {
  const answer = await create(daemon, owner, { kind: 'viewer', name: 'ci', expires: '90d' });
  assert.is(answer.status, 201, answer.text);
  assert.is(answer.headers['cache-control'], 'no-store');
  const { id, key } = JSON.parse(answer.text) as NewKey;
  assert.match(key, /^[0-9a-f]{40}$/);
  const used = await fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': key } });
  assert.is(used.status, 200);
  const stored = readFileSync(join(daemon.dataFolder, 'accounts.json'), 'utf8');
  assert.match(stored, hashKey(key));
  assert.not.match(stored, key);
  assert.not.match((await ask(daemon, '/ui/settings', { cookie: owner })).text, key);
  const found = (await keysOf(daemon)).find((one) => one.id === id);
  assert.is(found?.kind, 'viewer');
  assert.is(found?.name, 'ci');
  const days = (Date.parse(found?.expiresAt ?? '') - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90);
});

test('what creates and revokes a key is in the log, without the key', async ({ daemon, owner }) => {
  const own = (await stateOf(daemon, owner)).keys.find(({ isOwners }) => isOwners);
  const { id, key } = JSON.parse((await create(daemon, owner, { kind: 'viewer' })).text) as NewKey;
  assert.is((await revoke(daemon, owner, id)).status, 200);
  const lines = () => daemon.logLines.filter((line) => line.includes(id));
  // The answer may arrive before the log, which comes through another pipe.
  await waitUntil('both are in the log', () => lines().length >= 2);
  assert.equal(lines(), [
    `info Key ${id} (viewer) of account default was created at the page with key ${own?.id}.`,
    `info Key ${id} (viewer) was revoked at the page with key ${own?.id}.`,
  ]);
  assert.not.match(daemon.logLines.join('\n'), key);
});

test('each invalid field of a key is named', async ({ daemon, owner }) => {
  const before = await keysOf(daemon);
  const body = { kind: 'admin', name: 'two words', expires: 'tomorrow', account: 7 };
  const answer = await create(daemon, owner, body);
  assert.is(answer.status, 422);
  assert.equal(
    errorsOf(answer).map((message) => message.split(' ', 1)[0]),
    ['kind', 'account', 'name', 'expires'],
  );
  assert.is((await create(daemon, owner, { kind: 'full', expires: '2020-01-01' })).status, 422);
  assert.is((await create(daemon, owner, { kind: 'full', account: 'nobody' })).status, 404);
  assert.is((await create(daemon, owner, 'full')).status, 422);
  assert.equal(await keysOf(daemon), before);
});

test('an account creates keys for itself alone', async ({ daemon, studio }) => {
  const own = await create(daemon, studio, { kind: 'viewer', name: 'own' });
  assert.is(own.status, 201);
  const { id } = JSON.parse(own.text) as NewKey;
  assert.is((await keysOf(daemon)).find((key) => key.id === id)?.account, 'studio');
  const before = await keysOf(daemon);
  assert.is((await create(daemon, studio, { kind: 'full', account: 'default' })).status, 403);
  assert.is((await create(daemon, studio, { kind: 'worker' })).status, 403);
  assert.equal(await keysOf(daemon), before);
});

test('the owner creates keys of other accounts and of workers', async ({ daemon, owner }) => {
  const others = JSON.parse(
    (await create(daemon, owner, { kind: 'full', account: 'studio' })).text,
  ) as NewKey;
  const workers = JSON.parse((await create(daemon, owner, { kind: 'worker' })).text) as NewKey;
  const keys = await keysOf(daemon);
  assert.is(keys.find(({ id }) => id === others.id)?.account, 'studio');
  assert.is(keys.find(({ id }) => id === workers.id)?.kind, 'worker');
  assert.is((await revoke(daemon, owner, workers.id)).status, 200);
  assert.is((await revoke(daemon, owner, others.id)).status, 200);
});

test('keys of others and unknown ones have the same answer', async ({ daemon, studio, workerKey }) => {
  const keys = await keysOf(daemon);
  const others = keys.filter(({ account }) => account !== 'studio').map(({ id }) => id);
  assert.ok(others.includes(workerKey.id));
  const unknown = await revoke(daemon, studio, '00000000');
  assert.is(unknown.status, 404);
  for (const id of [...others, daemon.key]) {
    const answer = await revoke(daemon, studio, id);
    assert.is(answer.status, 404, id);
    assert.is(answer.text, unknown.text);
  }
  assert.equal(await keysOf(daemon), keys);
});

test("the owner's key stays, and the answer says the command", async ({ daemon, owner }) => {
  const own = (await stateOf(daemon, owner)).keys.find(({ isOwners }) => isOwners);
  const answer = await revoke(daemon, owner, own?.id ?? '');
  assert.is(answer.status, 409);
  assert.match(errorsOf(answer).join(), 'venc keys rotate');
  assert.is((await daemon.request('/v2/jobs')).status, 200);
});

test('a viewer changes nothing, and has no buttons', async ({ daemon, viewer, studioKey }) => {
  const before = await keysOf(daemon);
  for (const answer of [
    await create(daemon, viewer, { kind: 'viewer' }),
    await revoke(daemon, viewer, studioKey.id),
    await ask(daemon, '/ui/api/presets/mine', {
      method: 'PUT',
      cookie: viewer,
      headers: byScript,
      body: '{}',
    }),
  ]) {
    assert.is(answer.status, 403);
    assert.match(errorsOf(answer).join(), 'viewer key');
  }
  assert.equal(await keysOf(daemon), before);
  const { text } = await ask(daemon, '/ui/settings', { cookie: viewer });
  assert.match(text, 'data-can-change="false"');
});

test('another site, and a request without the header of a script, change nothing', async (context) => {
  const { daemon, owner, studioKey } = context;
  const before = await keysOf(daemon);
  for (const headers of [sameOrigin, { 'X-Venc': '1', 'Sec-Fetch-Site': 'cross-site' }, { 'X-Venc': '1' }]) {
    const body = '{"kind": "full"}';
    const created = await ask(daemon, '/ui/api/keys', { method: 'POST', cookie: owner, headers, body });
    assert.is(created.status, 403);
    const path = `/ui/api/keys/${studioKey.id}`;
    assert.is((await ask(daemon, path, { method: 'DELETE', cookie: owner, headers })).status, 403);
  }
  assert.is(
    (await ask(daemon, '/ui/api/keys', { method: 'POST', headers: byScript, body: '{}' })).status,
    401,
  );
  assert.equal(await keysOf(daemon), before);
});

test('keys have no route outside the page', async ({ daemon }) => {
  for (const path of ['/v2/keys', '/api/v2/keys', '/ui/v2/keys']) {
    const headers = { 'Service-Api-Key': daemon.key };
    assert.ok(
      (await ask(daemon, path, { method: 'POST', headers, body: '{"kind":"full"}' })).status >= 401,
      path,
    );
  }
});

test('a key that expires creates none that lasts longer', async ({ daemon }) => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'studio', 'full', { expiresAt });
  const cookie = await cookieOf(daemon, key);
  for (const expires of ['', '2h']) {
    const answer = await create(daemon, cookie, { kind: 'full', expires });
    assert.is(answer.status, 422);
    assert.match(errorsOf(answer).join(), /^expires must be .* at the latest/);
  }
  assert.is((await create(daemon, cookie, { kind: 'full', expires: '30m' })).status, 201);
});

test('revoking a key ends its sessions, also the own one', async ({ daemon, studio, owner }) => {
  const made = JSON.parse((await create(daemon, studio, { kind: 'full' })).text) as NewKey;
  const first = await cookieOf(daemon, made.key);
  assert.is((await revoke(daemon, owner, made.id)).status, 200);
  assert.is((await ask(daemon, '/ui/settings', { cookie: first })).status, 401);
  const again = JSON.parse((await create(daemon, studio, { kind: 'full' })).text) as NewKey;
  const second = await cookieOf(daemon, again.key);
  const answer = await revoke(daemon, second, again.id);
  assert.is(answer.status, 200);
  assert.equal(JSON.parse(answer.text), {
    ...{ kind: 'full', account: 'studio', isOwners: false, hasFullKeyLeft: true },
  });
  assert.is((await ask(daemon, '/ui/api/settings', { cookie: second, headers: byScript })).status, 401);
});

test('a preset is saved, explained and removed', async ({ daemon, studio, owner }) => {
  const put = (body: string) =>
    ask(daemon, '/ui/api/presets/mine', { method: 'PUT', cookie: studio, headers: byScript, body });
  const rejected = await put('{"output": {"height": -5}}');
  assert.is(rejected.status, 422);
  assert.match(errorsOf(rejected)[0] ?? '', 'height');
  assert.is((await put('{"output": {"video_codec": "vp9"}}')).status, 200);
  const mine = (await stateOf(daemon, studio)).presets.find(({ name }) => name === 'mine');
  assert.is(mine?.source, 'account');
  assert.match((await ask(daemon, '/ui/settings', { cookie: studio })).text, 'video_codec=vp9');
  assert.ok((await stateOf(daemon, owner)).presets.every(({ name }) => name !== 'mine'));
  const path = '/ui/api/presets/mine';
  assert.is((await ask(daemon, path, { method: 'DELETE', cookie: studio, headers: byScript })).status, 204);
});

test('an account has at most 100 keys that the page creates', async ({ daemon }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  const { key } = await createAccount(setup, 'many');
  for (let count = 1; count < 100; count += 1) await createKey(setup, 'many', 'viewer');
  const answer = await create(daemon, await cookieOf(daemon, key), { kind: 'viewer' });
  assert.is(answer.status, 409);
  assert.match(errorsOf(answer).join(), 'at most 100');
});

test.run();
