import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../daemon/http/server.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { connectTo, rawRequest } from '../helpers/raw-http.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite<{ daemon: DaemonProcess }>('limits of requests');

test.before(async (context) => {
  context.daemon = await startDaemonProcess(tempFolder(), ['--jobs', '0']);
});
test.after(killDaemons);

const invalidRequests: readonly (readonly [string, string, RegExp])[] = [
  ['two Host headers', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', /one Host header/],
  ['the same Host twice', 'GET /health HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n', /one Host header/],
  [
    'Transfer-Encoding in HTTP/1.0',
    'POST /v2/jobs HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    /Transfer-Encoding must not be used in HTTP\/1\.0/,
  ],
];

for (const [what, request, reason] of invalidRequests) {
  test(`${what}: 400, and the connection is closed`, async ({ daemon }) => {
    const answer = await rawRequest(daemon.url, request);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, reason);
  });
}

test('only the plain path of a cancel accepts any method', async ({ daemon }) => {
  const headers = { 'Service-Api-Key': processKey };
  const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4' });
  const created = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { readonly id: string };
  for (const suffix of ['.json', '.xml', '.json/']) {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      const response = await fetch(`${daemon.url}/api/v2/jobs/${id}/cancel${suffix}`, { method, headers });
      assert.is(response.status, 405, `${method} ${suffix}`);
      assert.is(response.headers.get('allow'), 'PUT, OPTIONS');
    }
  }
  const paths = (
    (await (await fetch(`${daemon.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  ).paths;
  assert.equal(Object.keys(paths['/v2/jobs/{id}/cancel.json'] ?? {}), ['put']);
  assert.equal(Object.keys(paths['/v2/jobs/{id}/cancel.xml'] ?? {}), ['put']);
  assert.is(Object.keys(paths['/v2/jobs/{id}/cancel'] ?? {}).length, 5);
  assert.is((await fetch(`${daemon.url}/v2/jobs/${id}/cancel`, { headers })).status, 204);
});

const silent = { fetch: () => new Promise<Response>(() => {}) };
const quick = { fetch: () => new Response('done') };
const lateBodies: readonly (readonly [
  string,
  { fetch: () => Response | Promise<Response> },
  string,
  RegExp,
])[] = [
  [
    'a GET that was answered',
    quick,
    'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx',
    /^HTTP\/1\.1 200 /,
  ],
  [
    'a GET in chunks',
    quick,
    'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nx',
    /^HTTP\/1\.1 200 /,
  ],
  [
    'a POST that waits for it',
    silent,
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx',
    /^HTTP\/1\.1 408 /,
  ],
  [
    'a DELETE that waits for it',
    silent,
    'DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx',
    /^HTTP\/1\.1 408 /,
  ],
];

for (const [what, app, request, answer] of lateBodies) {
  test(`an incomplete body ends the connection after the time limit: ${what}`, async () => {
    const server = await listen(app, { host: '127.0.0.1', port: 0, requestTimeoutMs: 50 });
    assert.match(await rawRequest(`http://127.0.0.1:${server.port}`, request), answer);
    await server.close(0);
  });
}

test('a slow body within its own limit does not end the connection', async () => {
  let isReached = false;
  const app = {
    fetch: () => {
      isReached = true;
      return silent.fetch();
    },
  };
  const server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 50,
    hasNoTimeout: () => true,
  });
  const url = `http://127.0.0.1:${server.port}`;
  const upload = connectTo(url);
  upload.write('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx');
  await waitUntil('the upload has begun', () => isReached);
  // Both of these began later, and have ended.
  await rawRequest(url, 'GET / HTTP/1.1\r\nHost: a\r\n');
  await rawRequest(url, 'GET / HTTP/1.1\r\nHost: a\r\n');
  assert.is(upload.readyState, 'open');
  upload.destroy();
  await server.close(0);
});

test('connections beyond the limit are closed, and the log reports that once', async () => {
  const reported: number[] = [];
  const server = await listen(quick, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 2,
    onConnectionLimit: (most) => reported.push(most),
  });
  const url = `http://127.0.0.1:${server.port}`;
  const open = [connectTo(url), connectTo(url)];
  await waitUntil('both are there', () => open.every(({ readyState }) => readyState === 'open'));
  for (let count = 0; count < 3; count += 1) {
    const rejected = connectTo(url).on('error', () => {});
    await waitUntil('it is closed', () => rejected.resume().closed);
  }
  assert.equal(reported, [2]);
  for (const socket of open) socket.destroy();
  await server.close(0);
});

test.run();
