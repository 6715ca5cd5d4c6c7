import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { sampleFile, sampleMedia } from '../helpers/sample-job.js';
import { tempFolder } from '../helpers/temp.js';
import { errorsOf, joinTestWorker, type TestClaim, type TestWorker } from '../helpers/test-worker.js';

interface Context {
  daemon: TestDaemon;
  worker: TestWorker;
  folder: string;
}

const maxOutputBytes = 50_000;
const input = 'http://127.0.0.1:9/film.mp4';
const abilities = {
  version: 7,
  encoders: ['libx264', 'aac'],
  filters: [],
  muxers: ['mp4'],
  hasFpsMode: true,
};

const test = daemonSuite<Context>(
  'limits of the files of workers',
  async (context) => {
    context.folder = tempFolder();
    const limits = { encodeLimits: { maxOutputBytes }, filesRoots: [context.folder] };
    return { jobs: 0, ...limits };
  },
  async (context) => {
    context.worker = await joinTestWorker(context.daemon, { capabilities: abilities });
  },
);

async function claimJob({ daemon, worker }: Context, output: object): Promise<TestClaim> {
  const id = await daemon.create({ input, outputs: [output] });
  const claim = await worker.claim();
  assert.is(claim.job.id, id);
  return claim;
}

const put = (claim: TestClaim, url: string, bytes: Buffer, size = bytes.length) =>
  claim.send('PUT', `/file?url=${encodeURIComponent(url)}&offset=0&size=${size}`, { body: bytes });

async function endJob({ daemon }: Context, claim: TestClaim): Promise<void> {
  await claim.send('POST', '/end');
  await daemon.request(`/v2/jobs/${claim.job.id}/cancel`, { method: 'PUT' });
}

test('a file that is larger than --max-output-size is rejected before it is received', async (context) => {
  const claim = await claimJob(context, { width: 64 });
  const { destination = '' } = claim.job.outputs[0] ?? {};
  const response = await put(claim, destination, Buffer.alloc(10), maxOutputBytes + 1);
  assert.is(response.status, 422);
  const text = await response.text();
  assert.match(text, /larger than 50[^,]*, the limit of the daemon \(--max-output-size\)/);
  assert.match(text, /"errorClass":"OutputSizeLimitError"/);
  assert.is((await put(claim, destination, Buffer.alloc(10), maxOutputBytes)).status, 200);
  await endJob(context, claim);
});

test('a copy of the input may be larger than --max-output-size', async (context) => {
  const claim = await claimJob(context, { type: 'transfer-only' });
  const { destination = '' } = claim.job.outputs[0] ?? {};
  assert.is((await put(claim, destination, Buffer.alloc(maxOutputBytes + 1))).status, 200);
  await endJob(context, claim);
});

test('a file that does not fit on the disk of the daemon is rejected before it is received', async (context) => {
  const claim = await claimJob(context, { type: 'transfer-only' });
  const { destination = '' } = claim.job.outputs[0] ?? {};
  const response = await put(claim, destination, Buffer.alloc(10), 10 ** 15);
  assert.is(response.status, 503);
  assert.match(await response.text(), /"errorClass":"OutOfSpaceError"/);
  await endJob(context, claim);
});

test('a body that is longer than its size is rejected', async (context) => {
  const claim = await claimJob(context, { type: 'transfer-only' });
  const { destination = '' } = claim.job.outputs[0] ?? {};
  const response = await put(claim, destination, Buffer.alloc(100), 10);
  assert.is(response.status, 422);
  assert.match(await errorsOf(response), /more than the 10 bytes that size says/);
  await endJob(context, claim);
});

test('captions next to a file are accepted only if the output can have them', async (context) => {
  const { folder } = context;
  const url = (name: string) => pathToFileURL(join(folder, name)).href;
  const bytes = Buffer.from('WEBVTT\n');
  for (const [settings, status] of [
    [{}, 403],
    [{ subtitles: 'drop' }, 403],
    [{ subtitles: 'sidecar' }, 200],
  ] as const) {
    const claim = await claimJob(context, { url: url('film.mp4'), ...settings });
    assert.is((await put(claim, url('film.en.vtt'), bytes)).status, status, JSON.stringify(settings));
    assert.is((await put(claim, url('film.en.mp4'), bytes)).status, 403);
    await endJob(context, claim);
  }
  const own = { url: url('film.mp4'), subtitles: 'sidecar', caption_url: url('film.de.vtt') };
  const claim = await claimJob(context, own);
  assert.is((await put(claim, url('film.de.vtt'), bytes)).status, 403, 'captions that the job reads');
  await endJob(context, claim);
});

test('a finished output with a file that is not one of the job is rejected', async (context) => {
  const claim = await claimJob(context, { subtitles: 'sidecar', filename: 'film.mp4' });
  const [output] = claim.job.outputs;
  const bytes = Buffer.from('the file');
  const own = { sizeBytes: bytes.length, md5: createHash('md5').update(bytes).digest('hex') };
  await claim.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
  await claim.change({ type: 'output-started', id: output?.id });
  assert.is((await put(claim, output?.destination ?? '', bytes)).status, 200);
  const finish = async (change: object) => {
    const body = {
      number: 3,
      change: { type: 'output-finished', id: output?.id, media: sampleMedia, ...change },
    };
    const response = await claim.send('POST', '/changes', { body });
    return { status: response.status, text: await response.text() };
  };
  const caption = (name: string) => ({
    file: own,
    captionFiles: [{ name, language: 'en', label: 'English' }],
  });
  for (const [change, expected] of [
    [caption('other.en.vtt'), /cannot have a file with the name other\.en\.vtt/],
    [caption('film.en.vtt.exe'), /cannot have a file with the name film\.en\.vtt\.exe/],
    [{ file: { ...own, md5: '0'.repeat(32) } }, /received a file with another checksum/],
    [{ file: { ...own, sizeBytes: 7 } }, /received a file with another size/],
  ] as const) {
    const { status, text } = await finish(change);
    assert.is(status, 403, text);
    assert.match(text, expected);
  }
  assert.is((await finish(caption('film.en.vtt'))).status, 200);
  assert.is((await context.daemon.waitForJob(claim.job.id)).state, 'finished');
});

test.run();
