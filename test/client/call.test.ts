import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCaller } from '../../src/client/call.js';
import { toServiceError } from '../../src/client/service-errors.js';
import { isVencError, VencError } from '../../src/shared/errors.js';

test('an interrupted request gets no advice about an unreachable service', async () => {
  const server = createServer(() => stop.abort(new VencError('InterruptedError', 'Interrupted.')));
  const stop = new AbortController();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caller = createCaller({ url: `http://127.0.0.1:${port}`, apiKey: 'k', hint: 'start one' });
  try {
    await caller.call('listJobs', { signal: stop.signal });
    assert.unreachable();
  } catch (error) {
    assert.ok(isVencError(error, 'InterruptedError'));
    assert.is(error.hint, null);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the Retry-After of a service is reported', () => {
  const rejection = toServiceError('listJobs', 'list', { status: 429, body: '', retryAfter: '3600' });
  assert.is(rejection.hint, 'Try again after 3600 s, as the service asks.');
  assert.is(rejection.retryAfterSeconds, 3600);
});

for (const [what, retryAfter, count] of [
  ['in seconds', '0', 2],
  ['as an HTTP date', new Date(Date.now() - 5000).toUTCString(), 2],
  ['for longer than a command may wait', '60', 1],
  ['for longer, as an HTTP date', new Date(Date.now() + 3_600_000).toUTCString(), 1],
] as const) {
  test(`a GET that is rejected with 429 and Retry-After ${what} is sent ${count} times`, async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      if (requests === 1) response.writeHead(429, { 'Retry-After': retryAfter }).end();
      else response.end('{"job": {}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const caller = createCaller({ url: `http://127.0.0.1:${port}`, apiKey: 'k' });
    await caller.call('jobDetails', { values: { id: 1 } }).catch((error: unknown) => {
      assert.ok(isVencError(error, 'TooManyRequestsError') && (error.retryAfterSeconds ?? 0) > 50);
    });
    server.close();
    assert.is(requests, count);
  });
}

for (const body of ['', '{}', 'null', '"hello"']) {
  test(`the body ${JSON.stringify(body)} is not a valid answer to a GET`, async () => {
    const server = createServer((_, response) => response.end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const caller = createCaller({ url: `http://127.0.0.1:${port}`, apiKey: 'k' });
    const error = await caller.call('jobDetails', { values: { id: 1 } }).catch((reason: unknown) => reason);
    server.close();
    assert.ok(isVencError(error, 'UnreachableError'));
    assert.match(error.message, 'without the expected fields');
  });
}

test('a worker key is sent as a bearer token, and never in the query, also after a 401', async () => {
  const requests: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    requests.push([url, headers.authorization, headers['service-api-key']]);
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caller = createCaller({ url: `http://127.0.0.1:${port}`, apiKey: 'vencw_1', isKeyInQuery: true });
  const error = await caller.call('workerInfo').catch((reason: unknown) => reason);
  server.close();
  assert.ok(isVencError(error, 'UnauthorizedError'));
  assert.equal(requests, [['/worker/v1', 'Bearer vencw_1', undefined]]);
});

test('a key of an account on a route of workers is named as the cause', () => {
  const hint = toServiceError('workerInfo', 'worker', { status: 403, body: '' }).hint;
  assert.match(hint ?? '', 'venc keys create --worker');
});

test('a full disk of the daemon needs space, not only time', () => {
  const hintFor = (text: string, isOwnDaemon: boolean) => {
    const body = JSON.stringify({ errors: [text] });
    return toServiceError('createJob', 'job', { status: 503, body, retryAfter: '30', isOwnDaemon }).hint;
  };
  const low = 'The data folder has 48.0 kB of free space, less than the 100 kB that --min-free requires.';
  assert.is(hintFor(low, true), 'free space on the machine of the daemon, or lower its --min-free');
  assert.is(
    hintFor('There is no space left on the disk of the daemon.', true),
    'free space on the machine of the daemon',
  );
  assert.match(hintFor(low, false) ?? '', /^Try again after 30 s/);
});

test('a key of the environment that the own daemon does not know is named as the cause', () => {
  const hintFor = (isOwnerKey: boolean) =>
    toServiceError('listJobs', 'list', { status: 401, body: '', isOwnDaemon: true, isOwnerKey }).hint;
  assert.match(hintFor(false) ?? '', /^VENC_API_KEY is set.*; unset it/);
  assert.is(hintFor(true), null);
});

test.run();
