import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSource } from './http-harness.js';
import {
  divided,
  film,
  headersOf,
  honest,
  otherFilm,
  type Part,
  partOf,
  size,
  tag,
  whole,
} from './sample-download.js';

const lyingServers: readonly (readonly [
  what: string,
  answer: (part: Part, response: ServerResponse) => void,
])[] = [
  [
    'ignores ranges',
    (_part, response) => response.writeHead(200, { etag: tag, 'content-length': size }).end(film),
  ],
  [
    'sends another range than requested',
    ({ from, to }, response) =>
      response.writeHead(206, headersOf({ from: from + 1, to })).end(film.subarray(from + 1, to)),
  ],
  [
    'omits Content-Range',
    ({ from, to }, response) => response.writeHead(206, { etag: tag }).end(film.subarray(from, to)),
  ],
  [
    'sends more than the range',
    ({ from, to }, response) => {
      const { 'content-length': _, ...headers } = headersOf({ from, to });
      response.writeHead(206, headers).end(Buffer.concat([film.subarray(from, to), otherFilm]));
    },
  ],
  [
    'announces more than the range',
    ({ from, to }, response) =>
      response
        .writeHead(206, { ...headersOf({ from, to }), 'content-length': to - from + 5 })
        .end(Buffer.concat([film.subarray(from, to), Buffer.alloc(5)])),
  ],
  [
    'sends a shorter range, and says so',
    ({ from, to }, response) => {
      const end = Math.min(to, from + 15_000);
      response.writeHead(206, headersOf({ from, to: end })).end(film.subarray(from, end));
    },
  ],
  ['answers 416', (_part, response) => response.writeHead(416, { 'content-range': `bytes */${size}` }).end()],
  ['answers 400', (_part, response) => response.writeHead(400).end()],
  ['answers 500', (_part, response) => response.writeHead(500).end()],
  ['closes the connection', (_part, response) => response.destroy()],
];

for (const [what, answer] of lyingServers) {
  test(`the download succeeds from a server that ${what} for a range request`, async () => {
    await withSource(
      (request, response) => {
        const part = partOf(request);
        if (part === null) honest(request, response);
        else answer(part, response);
      },
      async (source) => {
        assert.equal(await divided(source.url('/film')), whole);
        assert.ok(source.seen.some(({ headers }) => headers.range !== undefined));
        assert.ok(source.seen.length < 60, String(source.seen.length));
      },
    );
  });
}

test.run();
