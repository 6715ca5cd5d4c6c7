import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey, createWorkerKey, rotateOwnerKey } from '../../daemon/store/accounts/api-keys.js';
import { daemonSuite, startTestDaemon } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';
import { pollUntil } from '../helpers/wait-until.js';

const test = daemonSuite('keys that expire', { jobs: 0 });

const withKey = (key: string) => ({ headers: { 'Service-Api-Key': key } });
const inMs = (ms: number) => ({ expiresAt: new Date(Date.now() + ms).toISOString() });
const input = 'http://127.0.0.1:9/nothing.mp4';

test('an expired key is 401 on every route, and the answer says so', async ({ daemon }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  const { key } = await createKey(setup, 'default', 'full', inMs(-1000));
  const { key: workerKey } = await createWorkerKey(setup, inMs(-1000));
  const id = await daemon.create({ input });
  for (const path of ['/v2/jobs', `/v2/jobs/${id}`, `/v2/jobs/${id}/events`, '/v2/jobs/999', '/v2/workers'])
    assert.match(
      String(await fetchRejection(`${daemon.url}${path}`, withKey(key), 401)),
      /expired on \d{4}-/,
    );
  const bearer = { headers: { Authorization: `Bearer ${workerKey}` } };
  assert.match(String(await fetchRejection(`${daemon.url}/worker/v1`, bearer, 401)), /worker key expired on/);
});

test('an event stream ends when its key expires, and an upload that has begun does not', async ({
  daemon,
}) => {
  const id = await daemon.create({ input });
  const setup = openFolderSetup(daemon.dataFolder);
  const { id: keyId, key } = await createKey(setup, 'default', 'full');
  const upload = request(`${daemon.url}/v2/uploads/film.mp4`, {
    method: 'PUT',
    headers: { 'Service-Api-Key': key, 'Content-Length': 6 },
  });
  const status = new Promise<number | undefined>((resolve, reject) => {
    upload.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    upload.once('error', reject);
  });
  upload.write('abc');
  const events = await fetch(`${daemon.url}/v2/jobs/${id}/events`, withKey(key));
  assert.is(events.status, 200);
  // Only now, so that the stream and the upload have begun before, however busy the machine is.
  await setup.update(({ accounts, replaceAccounts }) => {
    const keys = accounts.keys.map((one) => (one.id === keyId ? { ...one, ...inMs(1000) } : one));
    return replaceAccounts({ ...accounts, keys });
  });
  assert.match(await events.text(), /"state":"waiting"/);
  await fetchRejection(`${daemon.url}/v2/jobs`, withKey(key), 401);
  upload.end('def');
  assert.is(await status, 201);
});

test("the owner's key is rotated while the daemon runs: both keys work until the grace ends", async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const setup = openFolderSetup(daemon.dataFolder);
  const { key } = await rotateOwnerKey(setup, 3600);
  const list = (given: string) => fetch(`${daemon.url}/v2/jobs`, withKey(given)).then(({ status }) => status);
  assert.equal([await list(key), await list(daemon.key)], [200, 200]);
  assert.is(readFileSync(join(daemon.dataFolder, 'owner-key'), 'utf8'), `${key}\n`);
  const { key: next } = await rotateOwnerKey(setup, 0);
  await pollUntil(
    () => list(key),
    (status) => status === 401,
  );
  assert.equal([await list(next), await list(daemon.key)], [200, 200]);
  await daemon.stop();
  // The environment still has the first key.
  const again = await startTestDaemon({ jobs: 0, dataFolder: daemon.dataFolder });
  assert.match(again.logLines.join('\n'), /VENC_API_KEY is an earlier owner's key/);
  assert.is(readFileSync(join(daemon.dataFolder, 'owner-key'), 'utf8'), `${next}\n`);
  const statusOf = (given: string) =>
    fetch(`${again.url}/v2/jobs`, withKey(given)).then(({ status }) => status);
  assert.equal([await statusOf(next), await statusOf(key), await statusOf(daemon.key)], [200, 401, 200]);
  await again.stop();
});

test('a key of another account expires as well', async ({ daemon }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  await createAccount(setup, 'studio');
  const { key } = await createKey(setup, 'studio', 'read-only', inMs(-1));
  assert.match(String(await fetchRejection(`${daemon.url}/v2/jobs`, withKey(key), 401)), /expired/);
});

test.run();
