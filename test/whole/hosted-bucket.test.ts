import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { keysIn } from '../helpers/bucket-files-harness.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { type RunningS3rver, s3rverKeys, startS3rver } from '../helpers/servers/s3rver.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';
import { createWorkerKey, killWorkers, startWorker } from '../helpers/worker-process.js';

interface Context {
  storage: RunningS3rver;
  input: Buffer;
  /** Has the keys of the bucket from its environment. */
  first: TestDaemon;
  /** Has them from the URL, and a data folder of its own. */
  second: TestDaemon;
}

const test = suite<Context>('hosted files in a bucket');
const { id, secret } = s3rverKeys;

test.before(async (context) => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 4));
  context.input = readFileSync(join(folder, 'in.mp4'));
  context.storage = await startS3rver(['films']);
  process.env.AWS_ENDPOINT_URL_S3 = context.storage.endpoint;
  process.env.AWS_ACCESS_KEY_ID = id;
  process.env.AWS_SECRET_ACCESS_KEY = secret;
  context.first = await startTestDaemon({ hosted: 's3://films/media/venc' });
  context.second = await startTestDaemon({ hosted: `s3://${id}:${secret}@films/media/venc/` });
});
test.after(async ({ first, second, storage }) => {
  killWorkers();
  await first.stop();
  await second.stop();
  await storage.close();
});

async function upload(daemon: TestDaemon, name: string, body: Buffer): Promise<string> {
  const response = await daemon.request(`/v2/uploads/${encodeURIComponent(name)}`, { method: 'PUT', body });
  assert.is(response.status, 201, await response.clone().text());
  return ((await response.json()) as { url: string }).url;
}

async function runJob(daemon: TestDaemon, body: object): Promise<JobRecord> {
  const job = await daemon.waitForJob(await daemon.create(body));
  assert.is(job.state, 'finished', JSON.stringify(job));
  return job;
}

/** The same address at another daemon. */
const at = (daemon: TestDaemon, url: string) => `${daemon.url}${new URL(url).pathname}`;
const bytesAt = async (url: string, init: RequestInit = {}) =>
  Buffer.from(await (await fetch(url, init)).arrayBuffer());

test('an upload in parts is in the bucket when it is complete, for every daemon', async ({
  first,
  second,
  input,
}) => {
  const half = Math.floor(input.length / 2);
  const send = (offset: number, body: Buffer) =>
    first.request(`/v2/uploads/film.mp4?upload=${'a'.repeat(32)}&offset=${offset}&size=${input.length}`, {
      method: 'PUT',
      body,
    });
  assert.is((await send(0, input.subarray(0, half))).status, 200);
  const last = await send(half, input.subarray(half));
  assert.is(last.status, 201);
  const { url } = (await last.json()) as { url: string };
  const [id = ''] = readdirSync(join(first.dataFolder, 'uploads', '.parts'));
  assert.equal(readdirSync(join(first.dataFolder, 'uploads', '.parts', id)), ['upload.json']);
  await runJob(second, { input: url, outputs: [{ width: 64 }] });
});

test('an output that one daemon encoded is downloaded from the other one', async ({
  first,
  second,
  input,
}) => {
  const source = await upload(first, 'film ü.mp4', input);
  const job = await runJob(first, {
    input: source,
    outputs: [{ filename: 'a.mp4', width: 64, thumbnails: { number: 2 } }],
  });
  const url = job.output_media_files[0]?.url ?? '';
  const whole = await bytesAt(at(first, url));
  assert.is(whole.byteLength, job.output_media_files[0]?.file_size_bytes);
  const there = at(second, url);
  assert.ok(whole.equals(await bytesAt(there)));
  const part = await fetch(there, { headers: { range: 'bytes=100-199' } });
  assert.is(part.status, 206);
  assert.is(part.headers.get('content-range'), `bytes 100-199/${whole.byteLength}`);
  assert.ok(whole.subarray(100, 200).equals(Buffer.from(await part.arrayBuffer())));
  const head = await fetch(there, { method: 'HEAD' });
  assert.is(head.headers.get('content-length'), String(whole.byteLength));
  const etag = head.headers.get('etag') ?? '';
  // A download that began at one daemon may continue at the other.
  assert.is((await fetch(at(first, url), { method: 'HEAD' })).headers.get('etag'), etag);
  assert.is((await fetch(there, { headers: { 'if-none-match': etag } })).status, 304);
  assert.is((await fetch(there, { headers: { range: 'bytes=999999999-' } })).status, 416);
  for (const { url: image } of job.thumbnails ?? []) {
    const png = await bytesAt(at(second, image ?? ''));
    assert.ok(png.subarray(1, 4).toString() === 'PNG');
  }
  assert.ok((job.thumbnails ?? []).length === 2, JSON.stringify(job.thumbnails));

  await first.request(`/v2/jobs/${job.id}`, { method: 'DELETE' });
  assert.is((await fetch(there)).status, 404);
});

test('an upload to one daemon is the input of a job of the other one, with its account', async ({
  first,
  second,
  input,
}) => {
  const source = await upload(first, 'in.mp4', input);
  const job = await runJob(second, {
    input: source,
    outputs: [{ filename: 'b.mp4', type: 'transfer-only' }],
  });
  assert.ok(input.equals(await bytesAt(at(first, job.output_media_files[0]?.url ?? ''))));
  assert.is(job.input_media_file.file_size_bytes, input.byteLength);
});

test('a ladder of segments and its playlist play from the other daemon', async ({
  first,
  second,
  input,
  storage,
}) => {
  const cut = { type: 'segmented', segment_seconds: 2, hls_protocol_version: 4 };
  const job = await runJob(first, {
    input: await upload(first, 'in.mp4', input),
    outputs: [
      { ...cut, label: 'low', filename: 'low.m3u8', width: 32 },
      { ...cut, label: 'high', filename: 'high.m3u8', width: 64 },
      {
        type: 'playlist',
        filename: 'master.m3u8',
        streams: [
          { source: 'low', path: 'low.m3u8' },
          { source: 'high', path: 'high.m3u8' },
        ],
      },
    ],
  });
  const master = job.output_media_files.find(({ url }) => url?.endsWith('master.m3u8'));
  const base = at(second, master?.url ?? '');
  const text = await (await fetch(base)).text();
  const renditions = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.is(renditions.length, 2, text);
  for (const rendition of renditions) {
    const playlistUrl = new URL(rendition, base);
    const playlist = parsePlaylist(await (await fetch(at(second, playlistUrl.href))).text());
    assert.ok(playlist.segments.length >= 2);
    for (const { uri } of playlist.segments) {
      const segment = await bytesAt(at(second, new URL(uri, playlistUrl).href));
      assert.is(segment[0], 0x47, 'a transport stream');
    }
  }
  assert.ok((await keysIn(storage.endpoint, 'films')).some((key) => key.endsWith('/master.m3u8')));
});

test('a remote worker reads an upload and delivers hosted files through the daemon', async ({ input }) => {
  const daemon = await startTestDaemon({ hosted: 's3://films/workers', jobs: 0 });
  try {
    const worker = startWorker(daemon.url, await createWorkerKey(daemon.dataFolder));
    const source = await upload(daemon, 'in.mp4', input);
    const job = await runJob(daemon, { input: source, outputs: [{ filename: 'c.mp4', width: 64 }] });
    const { url, file_size_bytes: size } = job.output_media_files[0] ?? {};
    assert.is((await bytesAt(url ?? '')).byteLength, size);
    await worker.end('SIGTERM');
  } finally {
    await daemon.stop();
  }
});

test('nothing is kept in the data folders, and the secret is shown nowhere', async ({
  first,
  second,
  storage,
}) => {
  const keys = await keysIn(storage.endpoint, 'films');
  assert.ok(
    keys.every((key) => /^(?:media\/venc|workers)\/(?:hosted|uploads)\//.test(key)),
    keys.join(),
  );
  for (const daemon of [first, second]) {
    const files = await listRecursively(daemon.dataFolder);
    // The address of an upload in parts is known for a day.
    const records = /^uploads\/\.parts(?:\/\w+(?:\/upload\.json)?)?$/;
    assert.equal(
      files.filter((path) => /^(?:hosted|uploads|leftovers)\/./.test(path) && !records.test(path)),
      [],
    );
    const log = [...daemon.logLines, readFileSync(join(daemon.dataFolder, 'logs', 'daemon.log'), 'utf8')];
    assert.match(log.join('\n'), /Hosted files and uploads are kept in the bucket films\/media\/venc at 127/);
    assert.not.match(log.join('\n'), secret);
    assert.not.match(await (await fetch(`${daemon.url}/health`)).text(), /films|S3RVER/);
    const pid = JSON.parse(readFileSync(join(daemon.dataFolder, 'daemon.json'), 'utf8')).pid;
    assert.not.match(readFileSync(`/proc/${pid}/cmdline`, 'latin1'), secret);
  }
});

test.run();
