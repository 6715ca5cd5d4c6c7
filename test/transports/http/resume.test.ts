import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf, sampleBytes } from '../../contracts/transport/evidence.js';
import { startSocketSource } from '../../helpers/servers/http-source.js';
import { md5Of, tryDownload, withSource } from './http-harness.js';

const size = 1_000_000;
const cutAt = 600_000;
const film = sampleBytes(size);
const otherFilm = Buffer.from(film.map((byte) => byte ^ 0xff));
const tag = '"v1"';

/** Sends the start of a file and breaks the connection once the bytes were sent. */
function cutConnection(
  response: ServerResponse,
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, { 'content-length': bytes.byteLength, ...headers });
  response.write(bytes.subarray(0, cutAt), () => response.destroy());
}

/** The offset that a request resumes from; fails the test if it has no range. */
const startOf = (range: string | undefined): number => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]);

function sendRest(response: ServerResponse, bytes: Buffer, start: number, etag: string): void {
  const contentRange = `bytes ${start}-${bytes.byteLength - 1}/${bytes.byteLength}`;
  response.writeHead(206, {
    'content-range': contentRange,
    'content-length': bytes.byteLength - start,
    etag,
  });
  response.end(bytes.subarray(start));
}

test('an interrupted download resumes at its last byte', async () => {
  await withSource(
    (request, response, number) => {
      if (number === 1) cutConnection(response, film, { etag: tag });
      else sendRest(response, film, startOf(request.headers.range), tag);
    },
    async (source) => {
      assert.equal(await tryDownload(source.url('/film')), { sizeBytes: size, md5: md5Of(film) });
      assert.is(source.seen.length, 2);
      assert.is(source.seen[1]?.headers['if-range'], tag);
      assert.ok(startOf(source.seen[1]?.headers.range) > 0);
    },
  );
});

test('a download may be interrupted repeatedly while it makes progress', async () => {
  const chunkBytes = size / 20;
  await withSource(
    (request, response) => {
      const start = request.headers.range === undefined ? 0 : startOf(request.headers.range);
      const headers = {
        etag: tag,
        'content-length': size - start,
        'content-range': `bytes ${start}-${size - 1}/${size}`,
      };
      response.writeHead(start === 0 ? 200 : 206, headers);
      response.write(film.subarray(start, start + chunkBytes), () => response.destroy());
    },
    async (source) => {
      assert.is((await tryDownload(source.url('/film'))).md5, md5Of(film));
      assert.ok(source.seen.length >= 20);
    },
  );
});

test('an orderly close before the end counts as an incomplete file', async () => {
  await withSource(
    (request, response, number) => {
      if (number > 1) return sendRest(response, film, startOf(request.headers.range), tag);
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\nETag: ${tag}\r\n\r\n`;
      response.socket?.end(Buffer.concat([Buffer.from(head), film.subarray(0, cutAt)]));
    },
    async (source) => assert.is((await tryDownload(source.url('/film'))).md5, md5Of(film)),
  );
});

test('chunks without the last chunk are an incomplete file', async () => {
  await withSource(
    (_request, response, number) => {
      if (number > 1) response.end(film);
      else response.write(film.subarray(0, cutAt), () => response.destroy());
    },
    async (source) => assert.is((await tryDownload(source.url('/film'))).md5, md5Of(film)),
  );
});

test('a file that was replaced meanwhile is downloaded again from the start, never spliced', async () => {
  await withSource(
    (_request, response, number) => {
      if (number === 1) cutConnection(response, film, { etag: tag });
      else response.writeHead(200, { etag: '"v2"', 'content-length': size }).end(otherFilm);
    },
    async (source) =>
      assert.equal(await tryDownload(source.url('/film')), { sizeBytes: size, md5: md5Of(otherFilm) }),
  );
});

test('a rest that is sent in spite of a failed If-Range is not used', async () => {
  await withSource(
    (request, response, number) => {
      if (number === 1) cutConnection(response, film, { etag: tag });
      else if (number === 2) sendRest(response, otherFilm, startOf(request.headers.range), '"v2"');
      else response.end(otherFilm);
    },
    async (source) => {
      assert.is((await tryDownload(source.url('/film'))).md5, md5Of(otherFilm));
      assert.is(source.seen[2]?.headers.range, undefined);
    },
  );
});

test('a file that became shorter is downloaded again from the start', async () => {
  await withSource(
    (_request, response, number) => {
      if (number === 1) cutConnection(response, film, { etag: tag });
      else if (number === 2) response.writeHead(416, { 'content-range': 'bytes */10' }).end();
      else response.end(film.subarray(0, 10));
    },
    async (source) => assert.is((await tryDownload(source.url('/film'))).sizeBytes, 10),
  );
});

test('a server that offers ranges and ignores them sends the whole file again', async () => {
  await withSource(
    (_request, response, number) => {
      if (number === 1) cutConnection(response, film, { etag: tag, 'accept-ranges': 'bytes' });
      else response.writeHead(200, { etag: tag, 'accept-ranges': 'bytes' }).end(film);
    },
    async (source) =>
      assert.equal(await tryDownload(source.url('/film')), { sizeBytes: size, md5: md5Of(film) }),
  );
});

for (const [what, etag] of [
  ['no version', ''],
  ['only a weak version', 'W/"v1"'],
] as const) {
  test(`a file with ${what} is not resumed`, async () => {
    await withSource(
      (_request, response, number) => {
        if (number === 1) cutConnection(response, film, etag === '' ? {} : { etag });
        else response.end(film);
      },
      async (source) => {
        assert.is((await tryDownload(source.url('/film'))).md5, md5Of(film));
        assert.is(source.seen[1]?.headers.range, undefined);
      },
    );
  });
}

test('a server that always breaks the connection ends the download', async () => {
  await withSource(
    (_request, response) => cutConnection(response, film, {}),
    async (source) => {
      assert.is((await failureOf(tryDownload(source.url('/film')))).errorClass, 'DownloadFailureError');
      // How much of each attempt arrives before the break is random, and more than ever before counts as progress.
      assert.ok(source.seen.length >= 5);
    },
  );
});

test('bytes after the announced end are ignored', async () => {
  const source = await startSocketSource((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfilm and much more'));
  });
  assert.equal(await tryDownload(`${source.url}/film`), { sizeBytes: 4, md5: md5Of(Buffer.from('film')) });
  await source.close();
});

test('a response without a length is complete when the connection closes', async () => {
  const source = await startSocketSource((socket) => {
    socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nfilm'));
  });
  assert.is((await tryDownload(`${source.url}/film`)).sizeBytes, 4);
  await source.close();
});

test('a stalled download resumes with the rest', async () => {
  await withSource(
    (request, response, number) => {
      if (number > 1) return sendRest(response, film, startOf(request.headers.range), tag);
      response.writeHead(200, { 'content-length': size, etag: tag }).write(film.subarray(0, cutAt));
    },
    async (source) => {
      assert.is((await tryDownload(source.url('/film'), { stallTimeoutMs: 300 })).md5, md5Of(film));
      assert.ok(startOf(source.seen[1]?.headers.range) > 0);
    },
  );
});

test.run();
