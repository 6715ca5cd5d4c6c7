import type { LookupFunction } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf, rejectionOf } from '../../contracts/transport/evidence.js';
import { startSocketSource } from '../../helpers/servers/http-source.js';
import { md5Of, tryDownload, withSource } from './http-harness.js';

test('user and password of the URL are sent percent-decoded, and the path is sent unchanged', async () => {
  await withSource(
    (_request, response) => response.end('film'),
    async (source) => {
      await tryDownload(source.url('/a%20b?c=d%26e', 'J%C3%BCrgen:p%40ss%3Aword'));
      const { path, headers } = source.seen[0] ?? { path: '', headers: {} };
      assert.is(path, '/a%20b?c=d%26e');
      assert.is(headers.authorization, `Basic ${Buffer.from('Jürgen:p@ss:word').toString('base64')}`);
      assert.is(headers['accept-encoding'], 'identity');
    },
  );
});

test('a URL without user and password sends none', async () => {
  await withSource(
    (_request, response) => response.end('film'),
    async (source) => {
      await tryDownload(source.url('/'));
      assert.is(source.seen[0]?.headers.authorization, undefined);
    },
  );
});

test('a server that is briefly busy is asked again', async () => {
  await withSource(
    (_request, response, number) => {
      if (number === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (number === 2) response.writeHead(429).end();
      else if (number === 3) response.destroy();
      else response.end('film');
    },
    async (source) => {
      assert.is((await tryDownload(source.url('/'))).md5, md5Of(Buffer.from('film')));
      assert.is(source.seen.length, 4);
    },
  );
});

test('a Retry-After of hours ends the download at once', async () => {
  await withSource(
    (_request, response) => response.writeHead(503, { 'retry-after': '7200' }).end(),
    async (source) => {
      assert.is((await failureOf(tryDownload(source.url('/')))).errorClass, 'DownloadFailureError');
      assert.is(source.seen.length, 1);
    },
  );
});

for (const status of [400, 401, 403, 404, 410, 418]) {
  test(`status ${status} is not retried`, async () => {
    await withSource(
      (_request, response) => response.writeHead(status).end(),
      async (source) => {
        await failureOf(tryDownload(source.url('/')));
        assert.is(source.seen.length, 1);
      },
    );
  });
}

test('a file larger than the disk is rejected before anything is written', async () => {
  await withSource(
    (_request, response) => response.writeHead(200, { 'content-length': 10 ** 15 }).write('film'),
    async (source) => {
      assert.is((await failureOf(tryDownload(source.url('/')))).errorClass, 'OutOfSpaceError');
      assert.is(source.seen.length, 1);
    },
  );
});

test('a response that is not HTTP is a download error', async () => {
  const source = await startSocketSource((socket) => socket.end('220 mail.example ESMTP\r\n'));
  const { errorClass } = await failureOf(tryDownload(`${source.url}/`));
  assert.is(errorClass, 'DownloadFailureError');
  await source.close();
});

test('a host that does not accept a connection in time is reported as such, after three attempts', async () => {
  let lookups = 0;
  const lookup: LookupFunction = () => {
    lookups += 1;
  };
  const work = tryDownload('http://silent.example/', { stallTimeoutMs: 300, guard: { lookup } });
  const failure = await failureOf(work);
  assert.is(failure.errorClass, 'DownloadTimeoutError');
  assert.match(failure.message, /silent\.example did not answer in time/);
  assert.is(lookups, 3);
});

test('a host may be an IPv6 address', async () => {
  await withSource(
    (_request, response) => response.end('film'),
    async (source) => assert.is((await tryDownload(source.url('/'))).sizeBytes, 4),
    { host: '::1' },
  );
});

test('an abort ends a download at once while it waits for the next attempt', async () => {
  const controller = new AbortController();
  await withSource(
    (_request, response) => {
      response.writeHead(503, { 'retry-after': '20' }).end();
      response.once('close', () => controller.abort('draining'));
    },
    async (source) => {
      assert.is(await rejectionOf(tryDownload(source.url('/'), { signal: controller.signal })), 'draining');
    },
  );
});

test('an abort ends a download at once while it waits for the response', async () => {
  const controller = new AbortController();
  await withSource(
    () => controller.abort('cancelled'),
    async (source) => {
      assert.is(await rejectionOf(tryDownload(source.url('/'), { signal: controller.signal })), 'cancelled');
    },
  );
});

test.run();
