import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { saveFile } from '../../../src/cli/download/save-file.js';
import { isVencError } from '../../../src/shared/errors.js';
import { sampleBytes } from '../../contracts/transport/evidence.js';
import { type HttpSource, startHttpSource } from '../../helpers/servers/http-source.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';

const bytes = sampleBytes(200_003);
const md5 = createHash('md5').update(bytes).digest('hex');

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** Answers like a file server that supports ranges, but not `If-Range` or other conditions. */
const whole: Answer = (request, response) => {
  const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const range = from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from, etag: '"1"', ...range });
  response.end(bytes.subarray(from));
};

/** Breaks the connection after the given number of bytes. */
const cut =
  (sent: number): Answer =>
  (request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': bytes.length - from,
      etag: '"1"',
      ...range,
    });
    response.write(bytes.subarray(from, from + sent), () => response.destroy());
  };

interface Scenario {
  readonly source: HttpSource;
  readonly path: string;
  readonly folder: string;
  save(parts?: { readonly md5?: string | null; readonly sizeBytes?: number | null }): Promise<void>;
}

async function scenario(answer: Answer, run: (scenario: Scenario) => Promise<void>): Promise<void> {
  const source = await startHttpSource(answer);
  const folder = tempFolder();
  const path = join(folder, 'film.mp4');
  const save: Scenario['save'] = (parts = {}) =>
    saveFile({ url: source.url('/film.mp4'), name: 'film.mp4', sizeBytes: null, md5: null, ...parts }, path, {
      signal: new AbortController().signal,
      onProgress: () => {},
      retryDelayMs: 1,
    });
  try {
    await run({ source, path, folder, save });
  } finally {
    await source.close();
  }
}

const exists = ({ path, folder }: Scenario) => {
  assert.ok(readFileSync(path).equals(bytes));
  assert.equal(readdirSync(folder), ['film.mp4']);
};
const classOf = (work: Promise<void>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isVencError(error) ? error.errorClass : String(error)),
  );

test('a file is saved completely, and no other file remains', () =>
  scenario(whole, async (here) => {
    await here.save({ md5, sizeBytes: bytes.length });
    exists(here);
  }));

test('a connection that breaks repeatedly is resumed where it broke', () =>
  scenario(
    (request, response, number) => (number < 4 ? cut(50_000) : whole)(request, response, number),
    async (here) => {
      await here.save();
      exists(here);
      const ranges = here.source.seen.map(({ headers }) => headers.range);
      assert.equal(ranges, [undefined, 'bytes=50000-', 'bytes=100000-', 'bytes=150000-']);
      assert.is(here.source.seen[1]?.headers['if-range'], '"1"');
    },
  ));

test('a partial file of an earlier run is resumed if the MD5 can verify it', () =>
  scenario(whole, async (here) => {
    writeFileSync(`${here.path}.part`, bytes.subarray(0, 120_000));
    await here.save({ md5 });
    exists(here);
    assert.equal(
      here.source.seen.map(({ headers }) => headers.range),
      ['bytes=120000-'],
    );
  }));

test('a partial file of another file is downloaded again', () =>
  scenario(whole, async (here) => {
    writeFileSync(`${here.path}.part`, Buffer.alloc(120_000, 'x'));
    await here.save({ md5 });
    exists(here);
    assert.is(here.source.seen.length, 2);
  }));

test('a partial file of an earlier run is not used if nothing can verify it', () =>
  scenario(whole, async (here) => {
    writeFileSync(`${here.path}.part`, Buffer.alloc(120_000, 'x'));
    await here.save();
    exists(here);
  }));

test('a complete partial file is only verified', () =>
  scenario(
    (request, response, number) => {
      if (request.headers.range === undefined) whole(request, response, number);
      else response.writeHead(416).end();
    },
    async (here) => {
      writeFileSync(`${here.path}.part`, bytes);
      await here.save({ md5 });
      exists(here);
    },
  ));

test('a file with a wrong MD5 is never renamed to its final name', () =>
  scenario(whole, async (here) => {
    assert.is(await classOf(here.save({ md5: 'f'.repeat(32) })), 'UnreachableError');
    assert.not.ok(existsSync(here.path));
  }));

for (const [status, errorClass] of [
  [404, 'NotFoundError'],
  [410, 'GoneError'],
  [403, 'ForbiddenError'],
] as const) {
  test(`${status} is ${errorClass} at once`, () =>
    scenario(
      (_, response) => response.writeHead(status).end('<html>no</html>'),
      async (here) => {
        assert.is(await classOf(here.save()), errorClass);
        assert.is(here.source.seen.length, 1);
        assert.not.ok(existsSync(here.path));
      },
    ));
}

test('a transient error is retried, and no key is sent to a redirect target', () =>
  scenario(
    (request, response, number) => {
      if (number === 1) response.writeHead(503).end();
      else if (request.url === '/film.mp4') response.writeHead(302, { location: '/there.mp4' }).end();
      else whole(request, response, number);
    },
    async (here) => {
      await here.save({ md5 });
      exists(here);
      assert.ok(here.source.seen.every(({ headers }) => headers['service-api-key'] === undefined));
    },
  ));

for (const [what, sent, md5s, isKept, expectedText] of [
  ['nothing', 0, md5, false, /^Interrupted\.$/],
  ['a partial file that can be resumed', 90_000, md5, true, /film\.mp4\.part holds 90\.0 kB of it\.$/],
  ['a partial file that cannot be verified', 90_000, null, false, /^Interrupted\.$/],
] as const) {
  test(`an interrupted download keeps ${isKept ? '' : 'no file: not '}${what}`, () =>
    scenario(
      (_, response) => {
        response.writeHead(200, { 'content-length': bytes.length });
        response.write(bytes.subarray(0, sent));
      },
      async ({ source, path, folder }) => {
        const stop = new AbortController();
        const onProgress = (done: number) => {
          if (done >= sent) setImmediate(() => stop.abort());
        };
        const file = { url: source.url('/film.mp4'), name: 'film.mp4', sizeBytes: null, md5: md5s };
        const error = await saveFile(file, path, { signal: stop.signal, onProgress }).catch((one) => one);
        assert.ok(isVencError(error, 'InterruptedError'), String(error));
        assert.match(error.message, expectedText);
        assert.equal(readdirSync(folder), isKept ? ['film.mp4.part'] : []);
      },
    ));
}

test('a redirect loop ends', () =>
  scenario(
    (_, response) => response.writeHead(302, { location: '/film.mp4' }).end(),
    async (here) => {
      assert.is(await classOf(here.save()), 'UnreachableError');
    },
  ));

test('a disk that cannot be written is reported at once', () =>
  scenario(whole, async (here) => {
    mkdirSync(`${here.path}.part`);
    const error = await here.save().catch((one: unknown) => one);
    assert.ok(isVencError(error, 'UsageError'));
    assert.is(error.message, 'film.mp4.part cannot be written: it is a folder.');
  }));

for (const expectedMd5 of [md5, null]) {
  test(`two downloads to one destination leave a complete file, ${expectedMd5 === null ? 'without' : 'with'} an MD5`, async () => {
    const held: ServerResponse[] = [];
    const halfway: Answer = (request, response) => {
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const range = from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
      response.writeHead(from > 0 ? 206 : 200, {
        'content-length': bytes.length - from,
        etag: '"1"',
        ...range,
      });
      response.write(bytes.subarray(from, 100_000));
      held.push(response);
    };
    await scenario(halfway, async ({ save, path, folder }) => {
      const first = save({ md5: expectedMd5 });
      await waitUntil('it is halfway', () => sizeOf(`${path}.part`) === 100_000);
      const second = save({ md5: expectedMd5 });
      await waitUntil('both are', () => held.length === 2 && sizeOf(`${path}.part`) === 100_000);
      for (const response of held) response.end(bytes.subarray(100_000));
      const ends = await Promise.allSettled([first, second]);
      assert.ok(ends.some(({ status }) => status === 'fulfilled'));
      for (const end of ends)
        assert.ok(end.status === 'fulfilled' || isVencError(end.reason, 'InUseError'), String(end));
      assert.ok(readFileSync(path).equals(bytes));
      assert.equal(readdirSync(folder), ['film.mp4']);
    });
  });
}

test.run();
