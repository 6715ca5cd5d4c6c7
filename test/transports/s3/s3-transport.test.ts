import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../../daemon/transfer/cleanup-journal.js';
import { createGcsTransport, createS3Transport } from '../../../daemon/transports/s3/s3-transport.js';
import {
  contentsOf,
  factsOf,
  failureOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../../contracts/transport/evidence.js';
import { startHttpSource } from '../../helpers/servers/http-source.js';
import { s3rverKeys, startS3rver } from '../../helpers/servers/s3rver.js';
import { transportTo } from './s3-harness.js';

const service = { region: 'us-east-1', keys: s3rverKeys };
const download = (endpoint: string, connections = 3) => {
  const folder = scratchFolder();
  const path = join(folder, 'in');
  const transport = transportTo({ ...service, endpoint }, 1_000);
  const work = transport.download?.('s3://films/a.mp4', path, transferOf({ connections }));
  return { folder, path, work: work ?? Promise.reject(new TypeError('there are downloads')) };
};
const upload = async (endpoint: string, bytes: Buffer, transfer = transferOf()) => {
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, bytes);
  return transportTo({ ...service, endpoint }, 1_000).upload?.(path, 's3://films/a.mp4', transfer);
};
/** The requested bytes: from the first up to but not including the last. */
const rangeOf = (request: IncomingMessage, bytes: Buffer): readonly [number, number] => {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  return [Number(from ?? 0), Math.min(bytes.byteLength, Number(to ?? bytes.byteLength) + 1)];
};
/** Sends a correct range response. */
const serve = (request: IncomingMessage, response: ServerResponse, bytes: Buffer, etag: string) => {
  const [from, to] = rangeOf(request, bytes);
  response.writeHead(206, {
    etag,
    'content-range': `bytes ${from}-${to - 1}/${bytes.byteLength}`,
    'content-length': to - from,
  });
  return bytes.subarray(from, to);
};
const reject = (response: ServerResponse, status: number, code: string, headers = {}, more = '') =>
  response
    .writeHead(status, { 'content-type': 'application/xml', ...headers })
    .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code>${more}</Error>`);

const large = randomBytes(17 * 1024 * 1024 + 3);

test('a file above 16 MiB is uploaded in parts, and arrives unchanged', async () => {
  const server = await startS3rver(['films']);
  try {
    const progress: number[] = [];
    const onProgress = (done: number) => progress.push(done);
    assert.equal(await upload(server.endpoint, large, transferOf({ onProgress })), factsOf(large));
    assert.is(progress.at(-1), large.byteLength);
    const { path, work } = download(server.endpoint);
    assert.equal(await work, factsOf(large));
    assert.ok(readFileSync(path).equals(large));
  } finally {
    await server.close();
  }
});

test('ranges are downloaded concurrently, and each resumes after an interruption', async () => {
  const requests: string[] = [];
  const source = await startHttpSource((request, response, number) => {
    requests.push(request.headers.range ?? 'all');
    const bytes = serve(request, response, large, '"one"');
    if (number % 2 === 1) return response.end(bytes);
    return response.write(bytes.subarray(0, 300_000), () => setTimeout(() => response.destroy(), 20));
  });
  try {
    const { path, work } = download(source.url(''));
    assert.equal(await work, factsOf(large));
    assert.ok(readFileSync(path).equals(large));
    assert.ok(source.seen.slice(1).every(({ headers }) => headers['if-match'] === '"one"'));
    assert.is(new Set(requests).size, requests.length);
  } finally {
    await source.close();
  }
});

test('an object that changes during its download is downloaded again from the start, and never spliced', async () => {
  const old = randomBytes(9 * 1024 * 1024);
  const changed = randomBytes(9 * 1024 * 1024);
  for (const supportsIfMatch of [true, false]) {
    const source = await startHttpSource((request, response, number) => {
      const isOld = number <= 2;
      const tag = isOld ? '"old"' : '"new"';
      const wanted = request.headers['if-match'];
      if (supportsIfMatch && wanted !== undefined && wanted !== tag)
        return reject(response, 412, 'PreconditionFailed');
      return response.end(serve(request, response, isOld ? old : changed, tag));
    });
    try {
      const { path, work } = download(source.url(''));
      assert.equal(await work, factsOf(changed));
      assert.ok(readFileSync(path).equals(changed));
    } finally {
      await source.close();
    }
  }
});

test('an object on a server without ranges is downloaded in one response, and again after an interruption', async () => {
  const bytes = sampleBytes(700_001);
  const source = await startHttpSource((_, response, number) => {
    response.writeHead(200, { 'content-length': bytes.byteLength, etag: '"one"' });
    if (number === 2) response.write(bytes.subarray(0, 99), () => response.destroy());
    else response.end(bytes);
  });
  try {
    const { work } = download(source.url(''));
    assert.equal(await work, factsOf(bytes));
  } finally {
    await source.close();
  }
});

const lyingServers: readonly (readonly [
  what: string,
  answer: Parameters<typeof startHttpSource>[0],
  errorClass: string,
])[] = [
  ['answers HTML', (_, response) => response.writeHead(500).end('<html>no</html>'), 'DownloadFailureError'],
  ['answers nonsense', (_, response) => response.writeHead(400).end('\u0000{<'), 'DownloadFailureError'],
  [
    'sends another range than requested',
    (_, response) =>
      response
        .writeHead(206, { etag: '"a"', 'content-range': 'bytes 5-9/100', 'content-length': 5 })
        .end('wrong'),
    'DownloadFailureError',
  ],
  [
    'sends more than requested',
    (request, response, number) => {
      if (number === 1) return void response.end(serve(request, response, sampleBytes(50), '"a"'));
      response.writeHead(206, { etag: '"a"', 'content-range': 'bytes 0-49/50' }).end(sampleBytes(90));
    },
    'DownloadFailureError',
  ],
  [
    'redirects',
    (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'DownloadFailureError',
  ],
  [
    'sends only the headers, very slowly',
    (request, response) => void serve(request, response, sampleBytes(50), '"a"'),
    'DownloadTimeoutError',
  ],
];

for (const [what, answer, errorClass] of lyingServers) {
  test(`a server that ${what} is reported as ${errorClass}, and nothing is left`, async () => {
    const source = await startHttpSource(answer);
    try {
      const { folder, work } = download(source.url(''));
      const failure = await failureOf(work);
      assert.is(failure.errorClass, errorClass, failure.message);
      assert.equal(contentsOf(folder), []);
    } finally {
      await source.close();
    }
  });
}

test('a bucket is requested in its region, with a signature for that region', async () => {
  const regions: string[] = [];
  const bytes = sampleBytes(99);
  const source = await startHttpSource((request, response) => {
    const region = /\/\d{8}\/([^/]+)\/s3\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    regions.push(region);
    if (region === 'eu-west-9') return void response.end(serve(request, response, bytes, '"a"'));
    if (regions.length === 1)
      reject(response, 301, 'PermanentRedirect', { 'x-amz-bucket-region': 'ap-south-9' });
    else reject(response, 400, 'AuthorizationHeaderMalformed', {}, '<Region>eu-west-9</Region>');
  });
  try {
    assert.equal(await download(source.url('')).work, factsOf(bytes));
    assert.equal([...new Set(regions)], ['us-east-1', 'ap-south-9', 'eu-west-9']);
  } finally {
    await source.close();
  }
});

test('default grants are omitted if a server rejects them; requested grants are not', async () => {
  const acls: unknown[] = [];
  const source = await startHttpSource((request, response) => {
    request.resume().once('end', () => {
      if (request.method === 'HEAD') return response.writeHead(200, { 'content-length': 3 }).end();
      const { 'x-amz-acl': acl = null, 'x-amz-grant-read': grant = null } = request.headers;
      acls.push(acl ?? grant);
      if (acl !== null || grant !== null) return reject(response, 400, 'AccessControlListNotSupported');
      return response.writeHead(200, { etag: '"a"' }).end();
    });
  });
  try {
    await upload(source.url(''), sampleBytes(3));
    assert.equal(acls, ['bucket-owner-full-control', null]);
    const grants = [{ grantee: 'me@example.com', permissions: ['READ'] }] as const;
    for (const access of [
      { isPublic: true, grants: [] },
      { isPublic: false, grants },
    ]) {
      const work = upload(source.url(''), sampleBytes(3), transferOf({ access }));
      assert.match((await failureOf(work)).message, /does not support grants/);
    }
    assert.equal(acls.slice(2), ['public-read', 'emailAddress="me@example.com"']);
  } finally {
    await source.close();
  }
});

test('an object that is stored incompletely is reported and removed', async () => {
  const seen: string[] = [];
  const source = await startHttpSource((request, response) => {
    seen.push(request.method ?? '');
    request.resume().once('end', () => {
      if (request.method === 'HEAD') response.writeHead(200, { 'content-length': 2 }).end();
      else response.writeHead(request.method === 'DELETE' ? 204 : 200, { etag: '"a"' }).end();
    });
  });
  try {
    const failure = await failureOf(upload(source.url(''), sampleBytes(3)));
    assert.is(failure.errorClass, 'UploadFailureError');
    assert.match(failure.message, /stored 2 bytes of a file of 3/);
    assert.is(seen.at(-1), 'DELETE');
  } finally {
    await source.close();
  }
});

test('without an endpoint, the bucket is part of the host, and regions have their own hosts', async () => {
  const hosts: string[] = [];
  const guard = createSsrfGuard({
    allowPrivateNetwork: false,
    lookup(host, _, callback) {
      hosts.push(host);
      callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), '');
    },
  });
  const options = { guard, stallTimeoutMs: 1_000, retryDelayMs: 1, cleanupJournal: noCleanupJournal };
  const own = { endpoint: null, region: 'eu-central-1', keys: s3rverKeys };
  for (const transport of [
    createS3Transport({ ...options, service: own }),
    createGcsTransport({ ...options, service: { ...own, region: 'auto' } }),
  ]) {
    const [scheme] = transport.schemes;
    const work = transport.download?.(`${scheme}://films/a.mp4`, join(scratchFolder(), 'in'), transferOf());
    await failureOf(work ?? Promise.resolve());
  }
  assert.equal(hosts, ['films.s3.eu-central-1.amazonaws.com', 'storage.googleapis.com']);
});

test('without keys requests are not signed, and uploads are rejected', async () => {
  const bytes = sampleBytes(9);
  const source = await startHttpSource(
    (request, response) => void response.end(serve(request, response, bytes, '"a"')),
  );
  const transport = transportTo({ endpoint: source.url(''), region: 'us-east-1', keys: null });
  try {
    await transport.download?.('s3://films/a.mp4', join(scratchFolder(), 'in'), transferOf());
    assert.ok(source.seen.every(({ headers }) => headers.authorization === undefined));
    assert.match((await transport.checkOutput?.('s3://films/a.mp4', 'default')) ?? '', /must have keys/);
  } finally {
    await source.close();
  }
});

test('a private address is connected only if the configuration names it', async () => {
  const guard = createSsrfGuard({ allowPrivateNetwork: false });
  const transport = createS3Transport({
    guard,
    stallTimeoutMs: 1_000,
    cleanupJournal: noCleanupJournal,
    service: { ...service, endpoint: 'http://127.0.0.1:1' },
  });
  const work = transport.download?.('s3://films/a.mp4', join(scratchFolder(), 'in'), transferOf());
  assert.is((await failureOf(work ?? Promise.resolve())).errorClass, 'ForbiddenAddressError');
});

test.run();
