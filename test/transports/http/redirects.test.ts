import type { LookupFunction } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../../contracts/transport/evidence.js';
import { tryDownload, withSource } from './http-harness.js';

const film = 'film';

for (const status of [301, 302, 303, 307, 308]) {
  test(`a ${status} redirect is followed, relative to its own address`, async () => {
    await withSource(
      (request, response) => {
        if (request.url === '/a/film') response.end(film);
        else response.writeHead(status, { location: '../a/film' }).end();
      },
      async (source) => assert.is((await tryDownload(source.url('/b/start'))).sizeBytes, film.length),
    );
  });
}

test('ten redirects are followed, eleven are not', async () => {
  await withSource(
    (request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end(film);
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    },
    async (source) => {
      await tryDownload(source.url('/10'));
      assert.is((await failureOf(tryDownload(source.url('/11')))).errorClass, 'DownloadFailureError');
    },
  );
});

test('a redirect loop ends the download without a retry', async () => {
  await withSource(
    (_request, response) => response.writeHead(302, { location: '/' }).end(),
    async (source) => {
      assert.is((await failureOf(tryDownload(source.url('/')))).errorClass, 'DownloadFailureError');
      assert.is(source.seen.length, 11);
    },
  );
});

for (const location of ['file:///etc/passwd', 'ftp://host/a', 'http://', 'http://host:0/', 'data:,film']) {
  test(`a redirect to ${location} is not followed`, async () => {
    await withSource(
      (_request, response) => response.writeHead(302, { location }).end(),
      async (source) =>
        assert.is((await failureOf(tryDownload(source.url('/')))).errorClass, 'DownloadFailureError'),
    );
  });
}

test('user and password are sent only to their own origin', async () => {
  await withSource(
    (_request, response) => response.end(film),
    async (other) => {
      await withSource(
        (request, response) =>
          response.writeHead(302, { location: request.url === '/1' ? '/2' : other.url('/') }).end(),
        async (source) => {
          await tryDownload(source.url('/1', 'me:secret'));
          assert.ok(source.seen[1]?.headers.authorization);
          assert.is(other.seen[0]?.headers.authorization, undefined);
        },
      );
    },
  );
});

test('user and password are not sent again after a redirect through another origin', async () => {
  await withSource(
    (_request, response) => response.end(film),
    async (other) => {
      await withSource(
        (_request, response) => response.writeHead(302, { location: other.url('/', 'you:given') }).end(),
        async (source) => {
          await tryDownload(source.url('/', 'me:secret'));
          const expected = `Basic ${Buffer.from('you:given').toString('base64')}`;
          assert.is(other.seen[0]?.headers.authorization, expected);
        },
      );
    },
  );
});

const onlyThisHost = { allowPrivateNetwork: false, exemptHosts: ['127.0.0.1'] };

for (const host of [
  '127.0.0.2',
  'localhost',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '2130706434',
  '0',
  'metadata.google.internal',
]) {
  test(`a redirect to ${host} is rejected if only public addresses are allowed`, async () => {
    await withSource(
      (_request, response) => response.writeHead(302, { location: `http://${host}:9/` }).end(),
      async (source) => {
        const { errorClass } = await failureOf(tryDownload(source.url('/'), { guard: onlyThisHost }));
        assert.is(errorClass, 'ForbiddenAddressError');
        assert.is(source.seen.length, 1);
      },
    );
  });
}

test('a redirect to a metadata address is rejected even if the private network is allowed', async () => {
  await withSource(
    (_request, response) => response.writeHead(302, { location: 'http://[::ffff:a9fe:a9fe]/' }).end(),
    async (source) => {
      assert.is((await failureOf(tryDownload(source.url('/')))).errorClass, 'ForbiddenAddressError');
    },
  );
});

test('no connection is made to a forbidden address', async () => {
  const open = { allowPrivateNetwork: false };
  await withSource(
    (_request, response) => response.end(film),
    async (source) => {
      for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '127.1', '[::ffff:7f00:1]']) {
        const work = tryDownload(`http://${host}:${source.port}/`, { guard: open });
        assert.is((await failureOf(work)).errorClass, 'ForbiddenAddressError');
      }
      assert.is(source.seen.length, 0);
    },
  );
});

test('no connection is made to a name that resolves to a private address', async () => {
  await withSource(
    (_request, response) => response.end(film),
    async (source) => {
      const lookup: LookupFunction = (_host, _options, callback) =>
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      const guard = { allowPrivateNetwork: false, lookup };
      const failure = await failureOf(tryDownload(`http://inside.example:${source.port}/`, { guard }));
      assert.is(failure.errorClass, 'ForbiddenAddressError');
      assert.is(source.seen.length, 0);
    },
  );
});

test.run();
