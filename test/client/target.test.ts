import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/client.js';
import { resolveTarget } from '../../src/client/target.js';
import { isVencError } from '../../src/shared/errors.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';

function dataFolder(url: string): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify({ url, pid: 1 }));
  writeFileSync(join(folder, 'owner-key'), 'owner\n');
  return folder;
}

test('a given address takes precedence over the daemon of the data folder', async () => {
  const folder = dataFolder('http://127.0.0.1:2');
  const given = await resolveTarget({ url: 'https://h/api/', apiKey: 'k', dataFolder: folder });
  assert.equal([given.url, given.apiKey, given.isOwnDaemon], ['https://h/api', 'k', undefined]);
  const found = await resolveTarget({ url: null, apiKey: null, dataFolder: folder });
  assert.equal([found.url, found.apiKey, found.isOwnDaemon], ['http://127.0.0.1:2', 'owner', true]);
  assert.is((await resolveTarget({ url: null, apiKey: 'mine', dataFolder: folder })).apiKey, 'mine');
});

test('an address may include the API version', async () => {
  for (const [url, base] of [
    ['https://h/api/v2', 'https://h/api'],
    ['https://h/v2/', 'https://h'],
    ['https://h/rev2', 'https://h/rev2'],
    [' http://[::1]:8686/a b/ ', 'http://[::1]:8686/a%20b'],
    ['https://user:word@h/v2', 'https://user:word@h'],
  ] as const) {
    assert.is((await resolveTarget({ url, apiKey: 'k', dataFolder: '/no/such/folder' })).url, base);
  }
});

test('a revoked owner key is replaced at the next start, and the hint says so', async () => {
  const folder = dataFolder('http://127.0.0.1:2');
  rmSync(join(folder, 'owner-key'));
  await resolveTarget({ url: null, apiKey: null, dataFolder: folder }).then(
    () => assert.unreachable(),
    (error) => assert.match(String(error.hint), 'at its next start'),
  );
});

test('missing and invalid parts are reported by their class', async () => {
  const cases = [
    [{ url: 'ftp://h', apiKey: 'k' }, 'UsageError'],
    [{ url: 'https://h/api?version=2', apiKey: 'k' }, 'UsageError'],
    [{ url: 'https://h/#api', apiKey: 'k' }, 'UsageError'],
    [{ url: 'https://h', apiKey: null }, 'UnauthorizedError'],
    [{ url: 'https://h', apiKey: 'a key\n' }, 'UnauthorizedError'],
    [{ url: null, apiKey: null }, 'UnreachableError'],
  ] as const;
  for (const [sources, errorClass] of cases) {
    await resolveTarget({ ...sources, dataFolder: '/no/such/folder' }).then(
      () => assert.unreachable(),
      (error) => assert.ok(isVencError(error, errorClass)),
    );
  }
});

test('the key of our own daemon is never part of an address', async () => {
  const service = await startFakeService();
  try {
    const client = createClient({ url: service.url, apiKey: service.key, isOwnDaemon: true });
    await client.listJobs({ page: 2, perPage: 5, state: 'failed' });
    const seen = service.seen[0];
    assert.is(seen?.query.toString(), 'page=2&per_page=5&state=failed');
    assert.is(seen?.key, service.key);
  } finally {
    await service.close();
  }
});

test('a daemon that restarted on another port is found again', async () => {
  const service = await startFakeService();
  try {
    const folder = dataFolder('http://127.0.0.1:1');
    const client = createClient(await resolveTarget({ url: null, apiKey: service.key, dataFolder: folder }));
    writeFileSync(join(folder, 'daemon.json'), JSON.stringify({ url: service.url, pid: 2 }));
    await client.relocate();
    assert.is((await client.job(1001)).id, 1001);
  } finally {
    await service.close();
  }
});

test.run();
