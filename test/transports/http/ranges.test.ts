import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf, rejectionOf } from '../../contracts/transport/evidence.js';
import { md5Of, withSource } from './http-harness.js';
import {
  divided,
  film,
  headersOf,
  honest,
  otherFilm,
  partOf,
  size,
  slowly,
  tag,
  whole,
} from './sample-download.js';

test('a slow file is downloaded in ranges, never with more connections than allowed', async () => {
  let now = 0;
  let most = 0;
  await withSource(
    (request, response) => {
      now += 1;
      most = Math.max(most, now);
      response.once('close', () => {
        now -= 1;
      });
      honest(request, response);
    },
    async (source) => {
      assert.equal(await divided(source.url('/film'), { connections: 3 }), whole);
      assert.ok(source.seen.length >= 3);
      assert.ok(source.seen.slice(1).every(({ headers }) => headers['if-range'] === tag));
      // A broken connection may not be closed yet when the next one arrives.
      assert.ok(most > 1 && most <= 4, String(most));
    },
  );
});

test('ranges that are interrupted repeatedly resume at their last byte', async () => {
  let sent = 0;
  await withSource(
    (request, response) => {
      const part = partOf(request);
      if (part === null) return honest(request, response);
      response.writeHead(206, headersOf(part));
      const bytes = film.subarray(part.from, Math.min(part.to, part.from + 15_000));
      sent += bytes.byteLength;
      slowly(response, bytes, () =>
        bytes.byteLength < part.to - part.from ? response.destroy() : response.end(),
      );
    },
    async (source) => {
      assert.equal(await divided(source.url('/film')), whole);
      assert.ok(sent < 1.5 * size, String(sent));
    },
  );
});

for (const status of [429, 503, 403]) {
  test(`a server that answers further connections with ${status} gets fewer`, async () => {
    let now = 0;
    await withSource(
      (request, response) => {
        if (now >= 2) return void response.writeHead(status, { 'retry-after': '1' }).end();
        now += 1;
        response.once('close', () => {
          now -= 1;
        });
        honest(request, response);
      },
      async (source) => {
        assert.equal(await divided(source.url('/film'), { connections: 8 }), whole);
        assert.ok(source.seen.length < 40, String(source.seen.length));
      },
    );
  });
}

test('a file that is replaced during a download in ranges is downloaded again from the start', async () => {
  let isOther = false;
  await withSource(
    (request, response) => {
      const part = partOf(request);
      if (part !== null && !isOther) {
        isOther = true;
        return void response
          .writeHead(206, { ...headersOf(part), etag: '"v2"' })
          .end(otherFilm.subarray(part.from, part.to));
      }
      if (!isOther) return honest(request, response);
      response.writeHead(200, { etag: '"v2"', 'content-length': size }).end(otherFilm);
    },
    async (source) =>
      assert.equal(await divided(source.url('/film')), { sizeBytes: size, md5: md5Of(otherFilm) }),
  );
});

test('a file whose every response has another version is downloaded over one connection', async () => {
  await withSource(
    (request, response, number) => {
      const part = partOf(request);
      const etag = `"v${number}"`;
      if (part === null) response.writeHead(200, { etag, 'content-length': size });
      else response.writeHead(206, { ...headersOf(part), etag });
      slowly(response, film.subarray(part?.from ?? 0, part?.to ?? size));
    },
    async (source) => assert.equal(await divided(source.url('/film')), whole),
  );
});

test('a very slow connection hands parts of its range to the others', async () => {
  let isDripping = false;
  await withSource(
    (request, response) => {
      const part = partOf(request);
      if (part === null || isDripping) return honest(request, response);
      isDripping = true;
      response.writeHead(206, headersOf(part));
      let at = part.from;
      const timer = setInterval(() => response.write(film.subarray(at, ++at)), 100);
      response.once('close', () => clearInterval(timer));
    },
    async (source) => {
      assert.equal(await divided(source.url('/film'), { stallTimeoutMs: 60_000 }), whole);
      assert.ok(isDripping);
    },
  );
});

test('a very slow server ends the download as a stalled one does', async () => {
  await withSource(
    (_request, response) => {
      response.writeHead(200, { etag: tag, 'content-length': size });
      const timer = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(timer));
    },
    async (source) => {
      const failure = await failureOf(divided(source.url('/film'), { stallTimeoutMs: 200 }));
      assert.is(failure.errorClass, 'DownloadTimeoutError');
      assert.match(failure.message, /stopped sending\.$/);
    },
  );
});

test('a server that never sends anything did not answer', async () => {
  await withSource(
    () => {},
    async (source) => {
      const failure = await failureOf(divided(source.url('/film'), { stallTimeoutMs: 100 }));
      assert.is(failure.errorClass, 'DownloadTimeoutError');
      assert.match(failure.message, /did not answer\.$/);
    },
  );
});

test('if every connection stalls, the download fails and leaves nothing', async () => {
  await withSource(
    (request, response) => {
      const part = partOf(request);
      if (part === null)
        response.writeHead(200, { etag: tag, 'content-length': size }).write(film.subarray(0, 50_000));
      else response.writeHead(206, headersOf(part)).flushHeaders();
    },
    async (source) => {
      const failure = await failureOf(divided(source.url('/film'), { stallTimeoutMs: 250 }));
      assert.is(failure.errorClass, 'DownloadTimeoutError');
    },
  );
});

test('an address that expires is resolved again, and credentials stay with their origin', async () => {
  let issued = 0;
  const used = new Map<string, number>();
  await withSource(
    (request, response) => {
      const path = request.url ?? '';
      const times = (used.get(path) ?? 0) + 1;
      used.set(path, times);
      // Valid for the first two requests.
      if (times > 2) response.writeHead(403).end();
      else honest(request, response);
    },
    async (store) => {
      await withSource(
        (_request, response) => {
          issued += 1;
          response.writeHead(302, { location: store.url(`/signed-${issued}`) }).end();
        },
        async (source) => {
          assert.equal(await divided(source.url('/film', 'me:secret')), whole);
          assert.ok(issued >= 2);
          assert.ok(source.seen.every(({ headers }) => headers.authorization !== undefined));
          assert.ok(store.seen.every(({ headers }) => headers.authorization === undefined));
        },
      );
    },
  );
});

test('an aborted download in ranges leaves nothing', async () => {
  const controller = new AbortController();
  await withSource(
    (request, response, number) => {
      if (number === 4) controller.abort('cancelled');
      honest(request, response);
    },
    async (source) =>
      assert.is(await rejectionOf(divided(source.url('/film'), { signal: controller.signal })), 'cancelled'),
  );
});

test('an HTML page instead of a film is downloaded like any other file', async () => {
  const page = '<html>please log in</html>';
  await withSource(
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    async (source) => assert.is((await divided(source.url('/film'))).md5, md5Of(Buffer.from(page))),
  );
});

test.run();
