import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { tempFolder } from '../helpers/temp.js';
import { errorsOf, joinTestWorker, type TestClaim, type TestWorker } from '../helpers/test-worker.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  worker: TestWorker;
  root: string;
}

const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
const md5 = createHash('md5').update(content).digest('hex');
const transfer = { type: 'transfer-only' };

const test = daemonSuite<Context>(
  'files of workers over HTTP',
  async (context) => {
    context.root = tempFolder();
    return { jobs: 0, filesRoots: [context.root] };
  },
  async (context) => {
    context.worker = await joinTestWorker(context.daemon);
  },
);

const fileAt = (url: string, more = '') => `/file?url=${encodeURIComponent(url)}${more}`;
const receivedAt = (url: string) => `/received?url=${encodeURIComponent(url)}`;

async function upload(daemon: TestDaemon, bytes: Buffer): Promise<string> {
  const response = await daemon.request('/v2/uploads/film.mp4', { method: 'PUT', body: bytes });
  return ((await response.json()) as { url: string }).url;
}

/** Creates a job and claims it. */
async function claimJob({ daemon, worker }: Context, body: object): Promise<TestClaim> {
  const id = await daemon.create({ outputs: [transfer], ...body });
  const claim = await worker.claim();
  assert.is(claim.job.id, id);
  return claim;
}

async function put(claim: TestClaim, url: string, part: Buffer, offset: number, size = content.length) {
  const response = await claim.send('PUT', fileAt(url, `&offset=${offset}&size=${size}`), { body: part });
  return { status: response.status, record: (await response.json()) as Record<string, unknown> };
}

test('a worker reads an upload, whole and in ranges, and no other file', async (context) => {
  const { daemon } = context;
  const url = await upload(daemon, content);
  const other = await upload(daemon, Buffer.from('other'));
  const claim = await claimJob(context, { input: url });
  const whole = await claim.send('GET', fileAt(url));
  assert.is(whole.status, 200);
  assert.equal(Buffer.from(await whole.arrayBuffer()), content);
  const part = await claim.send('GET', fileAt(url), { headers: { Range: 'bytes=1000-1999' } });
  assert.equal([part.status, part.headers.get('content-range')], [206, 'bytes 1000-1999/100000']);
  assert.equal(Buffer.from(await part.arrayBuffer()), content.subarray(1000, 2000));
  const beyond = await claim.send('GET', fileAt(url), { headers: { Range: 'bytes=100000-' } });
  assert.is(beyond.status, 416);
  const head = await claim.send('HEAD', fileAt(url));
  assert.equal([head.status, head.headers.get('content-length')], [200, '100000']);
  const fresh = await claim.send('GET', fileAt(url), {
    headers: { 'If-None-Match': whole.headers.get('etag') ?? '' },
  });
  assert.is(fresh.status, 304);
  for (const wrong of [
    other,
    'file:///etc/passwd',
    claim.job.outputs[0]?.destination ?? '',
    'http://127.0.0.1:9/a',
  ])
    assert.is((await claim.send('GET', fileAt(wrong))).status, 403, wrong);
  assert.is((await claim.send('GET', '/file')).status, 422);
  await claim.send('POST', '/end');
  assert.is((await claim.send('GET', fileAt(url))).status, 409);
  await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
});

test('a worker reads a file on the machine of the daemon', async (context) => {
  const { daemon, root } = context;
  writeFileSync(join(root, 'in.mp4'), content);
  for (const [name, status] of [
    ['in.mp4', 200],
    ['missing.mp4', 404],
  ] as const) {
    const url = pathToFileURL(join(root, name)).href;
    const claim = await claimJob(context, { input: url });
    const response = await claim.send('GET', fileAt(url));
    assert.is(response.status, status);
    if (status === 200) assert.equal(Buffer.from(await response.arrayBuffer()), content);
    else assert.match(await response.text(), /does not exist.*"errorClass":"NotFoundError"/);
    await claim.send('POST', '/end');
    await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
  }
  const open = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(join('/proc/self/fd', fd)).startsWith(context.root);
      } catch {
        return false;
      }
    });
  await waitUntil('no file is open', () => open().length === 0);
});

test('a hosted file is delivered when its last part is there', async (context) => {
  const { daemon } = context;
  const claim = await claimJob(context, { input: await upload(daemon, content) });
  const { destination = '', url = '' } = claim.job.outputs[0] ?? {};
  const received = async () => (await claim.send('GET', receivedAt(destination))).json();
  assert.equal(await received(), { receivedBytes: 0 });
  assert.equal(await put(claim, destination, content.subarray(0, 60_000), 0), {
    status: 200,
    record: { receivedBytes: 60_000 },
  });
  assert.is((await fetch(url)).status, 404);
  for (const offset of [0, 59_999, 60_001]) {
    const wrong = await put(claim, destination, content.subarray(60_000), offset);
    assert.is(wrong.status, 409);
    assert.match(String(wrong.record.errors), /offset must be 60000/);
  }
  const other = await put(claim, destination, content.subarray(60_000), 60_000, 99_999);
  assert.is(other.status, 422);
  const whole = { status: 200, record: { receivedBytes: 100_000, sizeBytes: 100_000, md5 } };
  assert.equal(await put(claim, destination, content.subarray(60_000), 60_000), whole);
  // The answer may have been lost.
  assert.equal(await put(claim, destination, Buffer.alloc(0), 100_000), whole);
  assert.equal(Buffer.from(await (await fetch(url)).arrayBuffer()), content);
  assert.is((await claim.send('DELETE', fileAt(destination))).status, 204);
  assert.is((await fetch(url)).status, 404);
  assert.equal(await received(), { receivedBytes: 0 });
  await claim.send('POST', '/end');
  await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
});

/** Sends the begin of a body of a declared length, and breaks off once the daemon has that many bytes. */
async function cutUpload(
  daemon: TestDaemon,
  headers: Record<string, string>,
  path: string,
  bytes: Buffer,
  isThere: () => Promise<boolean>,
) {
  const sent = request(`${daemon.url}${path}`, {
    method: 'PUT',
    headers: { ...headers, 'Content-Length': content.length },
  });
  const closed = new Promise((resolve) => sent.once('close', resolve));
  sent.on('error', () => {});
  sent.write(bytes);
  await pollUntil(isThere, Boolean);
  sent.destroy();
  await closed;
}

test('what has arrived of a body that breaks off stays, and the rest completes it', async (context) => {
  const { daemon, worker, root } = context;
  const path = join(root, 'out.mp4');
  writeFileSync(path, 'before');
  const url = pathToFileURL(path).href;
  const claim = await claimJob(context, {
    input: await upload(daemon, content),
    outputs: [{ ...transfer, url, overwrite: true }],
  });
  const receivedBytes = async () => {
    const response = await claim.send('GET', receivedAt(url));
    return ((await response.json()) as { receivedBytes: number }).receivedBytes;
  };
  const headers = { ...worker.headers, 'Venc-Claim': claim.token };
  const address = `/worker/v1/claims/${claim.job.id}${fileAt(url, '&offset=0&size=100000')}`;
  await cutUpload(
    daemon,
    headers,
    address,
    content.subarray(0, 40_000),
    async () => (await receivedBytes()) === 40_000,
  );
  assert.is(readFileSync(path, 'utf8'), 'before');
  assert.is(existsSync(join(daemon.dataFolder, 'worker-files')), true);
  assert.equal(await put(claim, url, content.subarray(40_000), 40_000), {
    status: 200,
    record: { receivedBytes: 100_000, sizeBytes: 100_000, md5 },
  });
  assert.equal(readFileSync(path), content);
  for (const name of ['other.mp4', 'out-00001.ts', 'out.mpd', 'out.en.vtt', 'out.en.vtt/../../a']) {
    const wrong = await put(claim, new URL(name, url).href, content, 0);
    assert.is(wrong.status, 403, name);
  }
  await claim.send('POST', '/end');
  await pollUntil(
    async () => readdirSync(join(daemon.dataFolder, 'worker-files')),
    (names) => names.length === 0,
  );
  await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
});

test('a request whose connection still hangs does not block the next one', async (context) => {
  const { daemon, worker } = context;
  const claim = await claimJob(context, { input: await upload(daemon, content) });
  const { destination = '' } = claim.job.outputs[0] ?? {};
  const receivedBytes = async () => {
    const response = await claim.send('GET', receivedAt(destination));
    return ((await response.json()) as { receivedBytes: number }).receivedBytes;
  };
  const headers = { ...worker.headers, 'Venc-Claim': claim.token, 'Content-Length': content.length };
  const address = `/worker/v1/claims/${claim.job.id}${fileAt(destination, '&offset=0&size=100000')}`;
  const hanging = request(`${daemon.url}${address}`, { method: 'PUT', headers });
  hanging.on('error', () => {});
  hanging.write(content.subarray(0, 10_000));
  await pollUntil(receivedBytes, (bytes) => bytes === 10_000);
  const rest = await put(claim, destination, content.subarray(10_000), 10_000);
  assert.equal(rest.record, { receivedBytes: 100_000, sizeBytes: 100_000, md5 });
  hanging.destroy();
  await claim.send('POST', '/end');
  await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
});

test('the numbers in the query of a part are checked', async (context) => {
  const { daemon } = context;
  const claim = await claimJob(context, { input: await upload(daemon, content) });
  const { destination = '' } = claim.job.outputs[0] ?? {};
  for (const query of ['', '&offset=-1&size=1', '&offset=0', '&offset=0&size=1e3']) {
    const response = await claim.send('PUT', fileAt(destination, query), { body: content });
    assert.is(response.status, 422, query);
    assert.match(await errorsOf(response), /must be a number of bytes/);
  }
  await claim.send('POST', '/end');
  await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
});

test.run();
