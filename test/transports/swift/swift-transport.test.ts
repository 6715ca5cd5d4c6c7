import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../../daemon/transfer/cleanup-journal.js';
import { createSwiftTransport } from '../../../daemon/transports/swift/swift-transport.js';
import type { VencError } from '../../../src/shared/errors.js';
import {
  contentsOf,
  failureOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../../contracts/transport/evidence.js';
import { secret } from '../../contracts/transport/transport-harness.js';
import { type HttpSource, startHttpSource } from '../../helpers/servers/http-source.js';

/** A service with configurable responses, and its requests. */
interface Fixture {
  readonly source: HttpSource;
  readonly requests: string[];
  readonly transport: ReturnType<typeof createSwiftTransport>;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer, count: number) => void;

/** Runs a test against its own service. `/auth` returns tokens t1, t2 and so on, unless the test overrides it. */
async function onStage(
  answer: Answer,
  work: (stage: Fixture) => Promise<void>,
  { auth, stallTimeoutMs = 2_000 }: { auth?: Answer; stallTimeoutMs?: number } = {},
): Promise<void> {
  const requests: string[] = [];
  let logins = 0;
  let count = 0;
  const source = await startHttpSource((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const token = String(request.headers['x-auth-token'] ?? '');
      requests.push(`${request.method} ${request.url} ${token}`.trim());
      if (request.url !== '/auth') {
        count += 1;
        return answer(request, response, body, count);
      }
      if (auth !== undefined) return auth(request, response, body, logins);
      logins += 1;
      const storageUrl = `http://${request.headers.host}/v1/AUTH_a`;
      response.writeHead(200, { 'x-auth-token': `t${logins}`, 'x-storage-url': storageUrl }).end();
    });
  });
  const transport = createSwiftTransport({
    guardFor: (exemptHosts) => createSsrfGuard({ allowPrivateNetwork: false, exemptHosts }),
    stallTimeoutMs,
    retryDelayMs: 1,
    cleanupJournal: noCleanupJournal,
    service: { authUrl: source.url('/auth'), keys: null },
  });
  try {
    await work({ source, requests, transport });
  } finally {
    await source.close();
  }
}

const url = `cf://user:${secret}@films/a%20b.mp4`;
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

async function download({ transport }: Fixture): Promise<Buffer> {
  const folder = scratchFolder();
  assert.ok(transport.download);
  try {
    await transport.download(url, join(folder, 'in'), transferOf());
  } catch (error) {
    assert.equal(contentsOf(folder), []);
    throw error;
  }
  return readFileSync(join(folder, 'in'));
}

async function upload({ transport }: Fixture, bytes = sampleBytes(10)): Promise<void> {
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, bytes);
  await transport.upload?.(path, url, transferOf());
}

const failureClass = async (work: Promise<unknown>): Promise<VencError['errorClass']> =>
  (await failureOf(work)).errorClass;
const missing: Answer = (request, response, body) => {
  if (request.method === 'PUT') response.writeHead(201, { etag: md5(body) }).end();
  else response.writeHead(request.method === 'DELETE' ? 204 : 404).end();
};

test('a token is used for many transfers, and renewed once when it expires', async () => {
  await onStage(
    (request, response) => {
      const isGood = request.headers['x-auth-token'] !== 't1' || request.url?.startsWith('/v1') !== true;
      response.writeHead(isGood ? 200 : 401).end('file');
    },
    async (stage) => {
      assert.is((await download(stage)).toString(), 'file');
      assert.is((await download(stage)).toString(), 'file');
      const path = '/v1/AUTH_a/films/a%20b.mp4';
      assert.equal(stage.requests, [
        'GET /auth',
        `GET ${path} t1`,
        'GET /auth',
        `GET ${path} t2`,
        `GET ${path} t2`,
      ]);
    },
  );
});

test('a service that rejects its own tokens is reported as a wrong password', async () => {
  await onStage(
    (_, response) => void response.writeHead(401).end(),
    async (stage) => {
      assert.is(await failureClass(download(stage)), 'InvalidUsernameOrPasswordError');
      assert.is(await failureClass(upload(stage)), 'InvalidUsernameOrPasswordError');
    },
  );
});

test('a token is not sent to another origin after a redirect', async () => {
  const seen: string[] = [];
  const other = await startHttpSource((request, response) => {
    seen.push(String(request.headers['x-auth-token']));
    response.end('file');
  });
  await onStage(
    (_, response) => void response.writeHead(302, { location: other.url('/elsewhere') }).end(),
    async (stage) => {
      assert.is((await download(stage)).toString(), 'file');
    },
  );
  await other.close();
  assert.equal(seen, ['undefined']);
});

test('a missing object and a missing container are named', async () => {
  await onStage(
    (_, response) => void response.writeHead(404).end(),
    async (stage) => {
      const lost = await failureOf(download(stage));
      assert.is(lost.errorClass, 'FileNotFoundError');
      assert.match(lost.message, /no object "a b\.mp4" in the container "films"/);
      const nowhere = await failureOf(upload(stage));
      assert.is(nowhere.errorClass, 'FileNotFoundError');
      assert.match(nowhere.message, /no container "films"/);
    },
  );
});

for (const status of [429, 498, 503]) {
  test(`an upload that is answered with ${status} is tried again`, async () => {
    let puts = 0;
    await onStage(
      (request, response, body, count) => {
        if (request.method !== 'PUT') return missing(request, response, body, count);
        puts += 1;
        return puts === 1 ? void response.writeHead(status).end() : missing(request, response, body, count);
      },
      async (stage) => {
        await upload(stage);
        assert.is(puts, 2);
      },
    );
  });
}

for (const status of [413, 507]) {
  test(`an upload that is answered with ${status} is reported as out of space`, async () => {
    await onStage(
      (request, response, body, count) => {
        if (request.method !== 'PUT') return missing(request, response, body, count);
        response.writeHead(status).end();
      },
      async (stage) => {
        const failure = await failureOf(upload(stage));
        assert.is(failure.errorClass, 'UploadFailureError');
        assert.match(failure.message, /no space/);
      },
    );
  });
}

test('an upload whose bytes were corrupted is repeated, and removed if that does not help', async () => {
  await onStage(
    (request, response, body, count) => {
      if (request.method !== 'PUT') return missing(request, response, body, count);
      response.writeHead(201, { etag: md5(Buffer.from('other bytes')) }).end();
    },
    async (stage) => {
      assert.is(await failureClass(upload(stage)), 'UploadFailureError');
      assert.is(stage.requests.filter((line) => line.startsWith('PUT')).length, 5);
      assert.match(stage.requests.at(-1) ?? '', /^DELETE/);
    },
  );
});

test('an upload without a response times out', async () => {
  await onStage(
    (request, response, body, count) => {
      if (request.method !== 'PUT') missing(request, response, body, count);
    },
    async (stage) => assert.is(await failureClass(upload(stage)), 'UploadTimeoutError'),
    { stallTimeoutMs: 60 },
  );
});

const nonsense: readonly (readonly [string, Answer, VencError['errorClass']])[] = [
  ['no token', (_, response) => void response.end('<html>'), 'DownloadFailureError'],
  [
    'an invalid storage URL',
    (_, response) => void response.writeHead(200, { 'x-auth-token': 't', 'x-storage-url': 'nonsense' }).end(),
    'DownloadFailureError',
  ],
  [
    'a storage URL of a metadata service',
    (_, response) =>
      void response
        .writeHead(200, { 'x-auth-token': 't', 'x-storage-url': 'http://169.254.169.254/v1' })
        .end(),
    'ForbiddenAddressError',
  ],
  [
    'a redirect',
    (_, response) => void response.writeHead(302, { location: '/auth' }).end(),
    'DownloadFailureError',
  ],
  ['403', (_, response) => void response.writeHead(403).end(), 'InvalidUsernameOrPasswordError'],
  ['an error of its own', (_, response) => void response.writeHead(500).end(), 'DownloadFailureError'],
  ['nothing', () => undefined, 'DownloadTimeoutError'],
];
for (const [what, auth, errorClass] of nonsense) {
  test(`an authentication that answers with ${what} ends a download as ${errorClass}`, async () => {
    await onStage(missing, async (stage) => assert.is(await failureClass(download(stage)), errorClass), {
      auth,
      stallTimeoutMs: 100,
    });
  });
}

const keys = { id: 'u', secret: 'k' };
for (const [address, service, validationError] of [
  ['cf://u:k@films/a.mp4', { authUrl: null, keys }, /VENC_SWIFT_AUTH_URL/],
  ['cf://u:k@films/a.mp4', { authUrl: 'ftp://x', keys }, /VENC_SWIFT_AUTH_URL/],
  ['cf://films/a.mp4', { authUrl: 'http://x/', keys: null }, /VENC_SWIFT_USER and VENC_SWIFT_KEY/],
  ['cf://u@films/a.mp4', { authUrl: 'http://x/', keys }, /user:apikey@/],
  ['cf:///a.mp4', { authUrl: 'http://x/', keys }, /must name a container/],
  ['cf://films', { authUrl: 'http://x/', keys }, /must name a file/],
  ['cf://films/', { authUrl: 'http://x/', keys }, /must name a file/],
  ['cf://../a.mp4', { authUrl: 'http://x/', keys }, /container/],
  ['cf://films/../a.mp4', { authUrl: 'http://x/', keys }, /"\.\."/],
  ['cf://films/%2e%2e/a.mp4', { authUrl: 'http://x/', keys }, /"\.\."/],
  ['cf://films/a%0d%0ab', { authUrl: 'http://x/', keys }, /line breaks/],
  [`cf://films/${'a'.repeat(1025)}`, { authUrl: 'http://x/', keys }, /at most 1024 bytes/],
] as const) {
  test(`${address.slice(0, 40)} with ${service.authUrl} is rejected with a helpful message`, async () => {
    const guardFor = () => createSsrfGuard({ allowPrivateNetwork: false });
    const options = { guardFor, stallTimeoutMs: 100, cleanupJournal: noCleanupJournal, service };
    const transport = createSwiftTransport(options);
    assert.match(String(await transport.checkInput?.(address, 'default')), validationError);
    assert.match(String(await transport.checkOutput?.(address, 'default')), validationError);
  });
}

test.run();
