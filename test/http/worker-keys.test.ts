import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { isWorkerRoute } from '../../daemon/http/handlers.js';
import { createKey, createWorkerKey, listKeys, revokeKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobRecord } from '../../src/shared/records.js';
import { type Route, type RouteName, routePath, routes } from '../../src/shared/routes.js';
import { productVersion, workerProtocol } from '../../src/shared/version.js';
import { daemonSuite, startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';
import { pollUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  job: JobRecord;
  workerKey: string;
  fullKey: string;
  /** A full access key of another account. */
  otherKey: string;
  readOnlyKey: string;
}

const input = 'http://127.0.0.1:9/nothing.mp4';

const test = daemonSuite<Context>('worker keys', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const { dataFolder } = daemon;
  const { key: workerKey } = await createWorkerKey(openFolderSetup(dataFolder));
  const { key: fullKey } = await createKey(openFolderSetup(dataFolder), 'default', 'full');
  const { key: readOnlyKey } = await createKey(openFolderSetup(dataFolder), 'default', 'read-only');
  const { key: otherKey } = await createAccount(openFolderSetup(dataFolder), 'other');
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${await daemon.create({ input })}`);
  Object.assign(context, { job, workerKey, fullKey, readOnlyKey, otherKey });
});

/** A proxy adds this header: for such a client, no route but the public ones opens without a key. */
const proxied = { 'X-Forwarded-For': '203.0.113.7' };
const bearer = (token: string): RequestInit => ({ headers: { Authorization: `Bearer ${token}` } });

/** Every place where a client may put a key. */
const placements: Readonly<
  Record<string, (key: string) => { headers?: Record<string, string>; query?: string; body?: string }>
> = {
  'Service-Api-Key': (key) => ({ headers: { 'Service-Api-Key': key } }),
  'Zencoder-Api-Key': (key) => ({ headers: { 'Zencoder-Api-Key': key } }),
  'bearer token': (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
  'password of basic authentication': (key) => ({
    headers: { Authorization: `Basic ${Buffer.from(`worker:${key}`).toString('base64')}` },
  }),
  query: (key) => ({ query: `?api_key=${key}` }),
  body: (key) => ({ body: JSON.stringify({ api_key: key, input }) }),
};

/** What the daemon answers to a worker that holds no claim and sends no message. */
function statusOfWorker({ path, requestBody, status }: Route): number {
  if (requestBody !== undefined) return path.endsWith('/changes') ? 409 : 422;
  return path.includes('/claims/') && !path.endsWith('/end') ? 409 : status;
}

/** What the daemon answers to a worker key in one of these places; null if the request cannot carry it there. */
function expectedStatus(route: Route, place: string): number | null {
  if (place === 'body' && route.method === 'GET') return null;
  if (route.key === 'none') return route.path.startsWith('/hosted') ? 404 : 200;
  if (route.key === 'worker') return place === 'bearer token' ? statusOfWorker(route) : 401;
  // Only metrics take a password; elsewhere the request has no key.
  if (place.startsWith('password') && route.key !== 'owner') return route.path.includes(':id') ? 404 : 401;
  return 403;
}

for (const name of Object.keys(routes) as RouteName[]) {
  const route: Route = routes[name];
  for (const [place, put] of Object.entries(placements)) {
    const status = expectedStatus(route, place);
    if (status === null) continue;
    test(`${name} with a worker key (${place}) is ${status}`, async ({ daemon, job, workerKey }) => {
      const { headers = {}, query = '', body } = put(workerKey);
      const path = routePath(name, { id: job.id, name: 'a.mp4', token: '0'.repeat(32) });
      const response = await fetch(`${daemon.url}${path}${query}`, {
        method: route.method,
        headers: { ...proxied, ...headers },
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      assert.is(response.status, status, text);
      assert.not.match(text, workerKey);
      if (status === 403) assert.match(text, 'can only be used by venc worker');
    });
  }
}

test('every route of workers has a handler, and no other route has one of these', () => {
  for (const name of Object.keys(routes) as RouteName[])
    assert.is(isWorkerRoute(name), routes[name].key === 'worker', name);
});

test('a worker reads the versions and the time of the daemon', async ({ daemon, workerKey }) => {
  const before = Date.now();
  const response = await fetch(`${daemon.url}/worker/v1`, bearer(workerKey));
  const { time, ...versions } = (await response.json()) as { time: string };
  assert.equal(versions, {
    protocol: workerProtocol.current,
    min_protocol: workerProtocol.oldest,
    version: productVersion,
  });
  assert.is(new Date(time).toISOString(), time);
  assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now(), time);
  assert.is(response.headers.get('cache-control'), 'no-store');
});

for (const name of (Object.keys(routes) as RouteName[]).filter(isWorkerRoute)) {
  const { method }: Route = routes[name];
  const path = routePath(name, { id: 1, name: 'a', token: '0'.repeat(32) });

  test(`${name} without a worker key is 401, and with the key of an account 403`, async (context) => {
    const { daemon, fullKey, readOnlyKey, otherKey } = context;
    const url = `${daemon.url}${path}`;
    const [missing = ''] = await fetchRejection(url, { method }, 401);
    assert.match(missing, /missing.*Authorization/);
    for (const guess of ['vencw_', `vencw_${'0'.repeat(40)}`, 'a-guess', fullKey.slice(1)])
      assert.match((await fetchRejection(url, { method, ...bearer(guess) }, 401))[0] ?? '', /is not known/);
    for (const key of [fullKey, readOnlyKey, otherKey])
      for (const [init, query] of [
        [bearer(key), ''],
        [{ headers: { 'Service-Api-Key': key } }, ''],
        [{}, `?api_key=${key}`],
      ] as const) {
        const [sentence = ''] = await fetchRejection(`${url}${query}`, { method, ...init }, 403);
        assert.match(sentence, /venc keys create --worker/);
      }
  });
}

test('the use of a worker key is listed, and a revoked one is no longer valid', async () => {
  // The first use that a daemon sees is written soon; later ones are collected for a minute.
  const daemon = await startTestDaemon({ jobs: 0 });
  const { id, key } = await createWorkerKey(openFolderSetup(daemon.dataFolder));
  const statusOf = async () => (await fetch(`${daemon.url}/worker/v1`, bearer(key))).status;
  assert.is(await statusOf(), 200);
  const used = await pollUntil(
    async () => (await listKeys(openFolderSetup(daemon.dataFolder))).find((one) => one.id === id),
    (found) => found?.lastUsedAt !== null,
  );
  assert.equal([used?.kind, used?.account], ['worker', null]);
  await revokeKey(openFolderSetup(daemon.dataFolder), id);
  await pollUntil(statusOf, (status) => status === 401);
  await fetchRejection(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': key } }, 401);
  await daemon.stop();
});

test('a worker is not limited by --rate-limit, and guesses of worker keys are', async () => {
  const daemon = await startTestDaemon({ jobs: 0, rateLimit: 2 });
  const { key } = await createWorkerKey(openFolderSetup(daemon.dataFolder));
  const url = `${daemon.url}/worker/v1`;
  for (let count = 0; count < 10; count += 1) assert.is((await fetch(url, bearer(key))).status, 200);
  for (let count = 0; count < 2; count += 1) await fetchRejection(url, bearer('a-guess'), 401);
  await fetchRejection(url, bearer('a-guess'), 429);
  assert.is((await fetch(url, bearer(key))).status, 200);
  await daemon.stop();
});

test('a worker key is in no log and in no file of the data folder', async ({ daemon, workerKey }) => {
  for (const path of [`/v2/jobs?state=${workerKey}`, `/${workerKey}`, `/worker/v1/${workerKey}`])
    assert.not.match(await (await fetch(`${daemon.url}${path}`, bearer(workerKey))).text(), workerKey);
  await daemon.create({ input: `http://127.0.0.1:9/${workerKey}.mp4` });
  assert.not.match(daemon.logLines.join('\n'), workerKey);
  assert.not.match(readFileSync(join(daemon.dataFolder, 'accounts.json'), 'utf8'), workerKey);
});

test.run();
