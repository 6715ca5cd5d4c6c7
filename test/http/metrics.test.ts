import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { keyInAuthorization } from '../../daemon/http/authenticator.js';
import { isLocalClient } from '../../daemon/http/metrics.js';
import { createKey, createWorkerKey } from '../../daemon/store/accounts/api-keys.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { readSamples, samplesOf } from '../helpers/prometheus.js';
import { rawRequest } from '../helpers/raw-http.js';

interface Context {
  readonly daemon: TestDaemon;
  readonly fullKey: string;
  readonly readOnlyKey: string;
  readonly otherKey: string;
}

const test = daemonSuite<Context>('GET /metrics', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const { dataFolder } = daemon;
  const { key: fullKey } = await createKey(openFolderSetup(dataFolder), 'default', 'full');
  const { key: readOnlyKey } = await createKey(openFolderSetup(dataFolder), 'default', 'read-only');
  const { key: otherKey } = await createAccount(openFolderSetup(dataFolder), 'other');
  Object.assign(context, { fullKey, readOnlyKey, otherKey });
});

/** A header that a proxy adds: the client is not on this machine. */
const proxied = { 'X-Forwarded-For': '203.0.113.7' };

test('a program on this machine reads them without a key', async ({ daemon }) => {
  const response = await fetch(`${daemon.url}/metrics`);
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.is(response.headers.get('cache-control'), 'no-store');
  const samples = readSamples(await response.text());
  assert.is(samplesOf(samples, 'venc_jobs', { state: 'waiting' })[0]?.value, 0);
  assert.is(samplesOf(samples, 'venc_encodes_max')[0]?.value, 0);
  assert.ok((samplesOf(samples, 'process_resident_memory_bytes')[0]?.value ?? 0) > 1e6);
  assert.ok((samplesOf(samples, 'process_open_fds')[0]?.value ?? 0) > 3);
  const head = await fetch(`${daemon.url}/metrics`, { method: 'HEAD' });
  assert.equal([head.status, await head.text()], [200, '']);
});

test('a request that a proxy passed on, or a page in a browser made, needs a key', async ({ daemon }) => {
  for (const headers of [proxied, { Forwarded: 'for=203.0.113.7' }, { Origin: 'https://example.com' }])
    assert.is((await fetch(`${daemon.url}/metrics`, { headers })).status, 401, JSON.stringify(headers));
  const rebound = 'GET /metrics HTTP/1.1\r\nHost: rebound.example.com\r\nConnection: close\r\n\r\n';
  assert.match(await rawRequest(daemon.url, rebound), /^HTTP\/1\.1 401 /);
  assert.match(
    await rawRequest(daemon.url, 'GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n'),
    /^HTTP\/1\.1 401 /,
  );
  const local = 'GET /metrics HTTP/1.1\r\nHost: localhost:8686\r\nConnection: close\r\n\r\n';
  assert.match(await rawRequest(daemon.url, local), /^HTTP\/1\.1 200 /);
});

test('a full access or viewer key of the owner may read them, in each place where scrapers send it', async (context) => {
  const { daemon, fullKey } = context;
  const { key: viewerKey } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'viewer');
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  for (const headers of [
    { 'Service-Api-Key': daemon.key },
    { Authorization: `Bearer ${fullKey}` },
    { Authorization: `Bearer ${viewerKey}` },
    { Authorization: basic(`prometheus:${fullKey}`) },
    { Authorization: basic(`${fullKey}:`) },
  ])
    assert.is((await fetch(`${daemon.url}/metrics`, { headers: { ...proxied, ...headers } })).status, 200);
});

test('an unknown key is 401, and a read-only key, a worker key or that of another account 403', async (context) => {
  const { daemon, otherKey, readOnlyKey } = context;
  const { key: workerKey } = await createWorkerKey(openFolderSetup(daemon.dataFolder));
  const ask = (Authorization: string) =>
    fetch(`${daemon.url}/metrics`, { headers: { ...proxied, Authorization } });
  assert.is((await ask('Bearer a-guess')).status, 401);
  const forbidden = await ask(`Bearer ${otherKey}`);
  assert.is(forbidden.status, 403);
  assert.match(await forbidden.text(), /account default/);
  const worker = await ask(`Bearer ${workerKey}`);
  assert.is(worker.status, 403);
  assert.match(await worker.text(), /worker key/);
  const readOnly = await ask(`Bearer ${readOnlyKey}`);
  assert.is(readOnly.status, 403);
  assert.match(await readOnly.text(), /full access key/);
});

test('no other route takes a key in Authorization', async ({ daemon }) => {
  const response = await fetch(`${daemon.url}/v2/jobs`, {
    headers: { Authorization: `Bearer ${daemon.key}` },
  });
  assert.is(response.status, 401);
});

test('requests are counted by route, and no path, id or key becomes a label', async ({ daemon }) => {
  for (const path of [
    '/v2/jobs/987654',
    '/v2/jobs/987655',
    '/no/such/path',
    '/another/path',
    '/hosted/abc/x.mp4',
  ])
    await daemon.request(path);
  await daemon.request('/v2/jobs', { method: 'DELETE' });
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  const requests = (labels: Readonly<Record<string, string>>) =>
    samplesOf(readSamples(text), 'venc_http_requests_total', labels).map(({ value }) => value);
  assert.equal(requests({ route: 'jobDetails', method: 'GET', status: '404' }), [2]);
  assert.equal(requests({ route: 'none', method: 'GET', status: '404' }), [2]);
  assert.equal(requests({ route: 'none', method: 'DELETE', status: '405' }), [1]);
  const labels = readSamples(text).flatMap((sample) => Object.values(sample.labels));
  for (const part of ['98765', 'no/such', 'abc', daemon.key])
    assert.not(
      labels.some((label) => label.includes(part)),
      part,
    );
});

const loopback = { remoteAddress: '127.0.0.1', remoteFamily: 'IPv4' };
const clients: readonly (readonly [string, object, object, string | null, boolean])[] = [
  ['IPv4 loopback', loopback, { host: '127.0.0.1:8686' }, null, true],
  [
    'another loopback address',
    { ...loopback, remoteAddress: '127.8.9.1' },
    { host: 'localhost' },
    null,
    true,
  ],
  ['IPv6 loopback', { remoteAddress: '::1', remoteFamily: 'IPv6' }, { host: '[::1]:8686' }, null, true],
  [
    'IPv4 in IPv6',
    { remoteAddress: '::ffff:127.0.0.1', remoteFamily: 'IPv6' },
    { host: '127.0.0.1' },
    null,
    true,
  ],
  ['another machine', { ...loopback, remoteAddress: '192.0.2.1' }, { host: '127.0.0.1' }, null, false],
  [
    'another machine in IPv6',
    { remoteAddress: '2001:db8::1', remoteFamily: 'IPv6' },
    { host: '[::1]' },
    null,
    false,
  ],
  ['a closed socket', { remoteAddress: undefined }, { host: '127.0.0.1' }, null, false],
  ['a host name', loopback, { host: 'encode.example.com' }, null, false],
  ['a name that begins like a loopback', loopback, { host: '127.0.0.1.example.com' }, null, false],
  ['no host', loopback, {}, null, false],
  ['a public URL', loopback, { host: '127.0.0.1' }, 'https://encode.example.com', false],
  ['a page of the same origin', loopback, { host: '127.0.0.1', 'sec-fetch-site': 'none' }, null, false],
];

for (const [what, socket, headers, publicUrl, isLocal] of clients) {
  test(`${what} is ${isLocal ? 'a client on this machine' : 'no client on this machine'}`, () => {
    const incoming = { socket, headers, httpVersion: '1.1' } as never;
    assert.is(isLocalClient(incoming, publicUrl), isLocal);
  });
}

test('a key in another form of Authorization is no key', () => {
  for (const authorization of ['', 'Bearer', 'Digest abc', 'Bearer a b', 'abc'])
    assert.is(keyInAuthorization({ authorization }), null, authorization);
  assert.is(keyInAuthorization({ authorization: 'bearer abc' }), 'abc');
});

test.run();
