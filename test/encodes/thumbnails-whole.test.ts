import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, rotatedMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  folder: string;
}

const test = daemonSuite<Context>('thumbnails', async (context) => {
  const folder = tempFolder();
  context.folder = folder;
  await makeMedia(join(folder, 'film.mp4'), [
    ...[
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=160x120:rate=25:duration=2',
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv420p',
    ],
  ]);
  await makeMedia(join(folder, 'audio.mp3'), ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'libmp3lame']);
  return { filesRoots: [folder, '/tmp'] };
});

async function encode({ daemon, folder }: Context, outputs: readonly object[], input = 'film.mp4') {
  const url = input.startsWith('/') ? `file://${input}` : `file://${join(folder, input)}`;
  return daemon.waitForJob(await daemon.create({ input: url, outputs }));
}

/** Width and height in the header of a PNG. */
function sizeOf(png: Buffer): string {
  assert.is(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

const endings = (job: JobRecord) =>
  job.output_media_files.map(({ state, error_class: error }) => [state, error]);

test('thumbnails are in the folder of their video, have its size and are in its record', async (context) => {
  const { folder, daemon } = context;
  const url = `file://${join(folder, 'new folder', 'my film.v1.mp4')}`;
  const job = await encode(context, [
    { url: encodeURI(url), width: 80, thumbnails: { number: 3, public: true } },
  ]);
  assert.is(job.state, 'finished', JSON.stringify(job));
  const names = ['my film.v1.mp4', 'my film.v1_0000.png', 'my film.v1_0001.png', 'my film.v1_0002.png'];
  assert.equal((await readdir(join(folder, 'new folder'))).sort(), names);
  const thumbnails = await Promise.all(
    names.slice(1).map((name) => readFile(join(folder, 'new folder', name))),
  );
  assert.equal(thumbnails.map(sizeOf), ['80x60', '80x60', '80x60']);
  assert.is(new Set(thumbnails.map((bytes) => bytes.toString('latin1'))).size, 3);
  const [output] = job.output_media_files;
  assert.equal(
    job.thumbnails.map((one) => [one.id, one.url]),
    [1, 2, 3].map((at) => [
      (output?.id ?? 0) + at,
      encodeURI(`file://${join(folder, 'new folder', names[at] ?? '')}`),
    ]),
  );
  const listed = await daemon.read<readonly { job: JobRecord }[]>('/v2/jobs');
  assert.equal(listed.find((one) => one.job.id === job.id)?.job.thumbnails, job.thumbnails);
  // Thumbnails are not outputs.
  assert.is((await daemon.request(`/v2/outputs/${job.thumbnails[0]?.id}`)).status, 404);
});

test('hosted thumbnails are served as PNG under the token of their video', async (context) => {
  const job = await encode(context, [
    { thumbnails: { number: 2 }, filename: 'a.webm', clip_length: 0.4 },
    { thumbnails: {} },
  ]);
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(job.thumbnails.length, 3);
  const [first, second] = job.output_media_files.map(({ url }) => String(url).replace(/\.\w+$/, ''));
  assert.equal(
    job.thumbnails.map(({ url }) => url),
    [`${first}_0000.png`, `${first}_0001.png`, `${second}_0000.png`],
  );
  for (const { url } of job.thumbnails) {
    const response = await fetch(url);
    assert.is(response.headers.get('content-type'), 'image/png');
    assert.is(sizeOf(Buffer.from(await response.arrayBuffer())), '160x120');
  }
});

test('thumbnails of a rotated video are rotated for display', async (context) => {
  const input = await rotatedMedia();
  const url = `file://${join(context.folder, 'turned.mp4')}`;
  const job = await encode(context, [{ url, thumbnails: {} }], input);
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(sizeOf(await readFile(join(context.folder, 'turned_0000.png'))), '120x160');
});

test('thumbnails of an input without video are left out with a warning, and fail their output in strict mode', async (context) => {
  const outputs = [{ thumbnails: {} }, { thumbnails: {}, strict: true }, { filename: 'b.mp3' }];
  const job = await encode(context, outputs, 'audio.mp3');
  assert.equal(endings(job), [
    ['finished', null],
    ['failed', 'ThumbnailError'],
    ['finished', null],
  ]);
  assert.match(job.output_media_files[0]?.warnings?.join() ?? '', /There are no thumbnails/);
  assert.equal(job.thumbnails, []);
});

// A folder occupies the path of the last thumbnail, or of the video.
for (const name of ['x_0001.png', 'x.mp4']) {
  test(`an output whose ${name} cannot be delivered leaves nothing`, async (context) => {
    const to = join(context.folder, `with ${name}`);
    const url = encodeURI(`file://${to}/x.mp4`);
    const { daemon, folder } = context;
    const body = {
      input: `file://${join(folder, 'film.mp4')}`,
      outputs: [{ url, thumbnails: { number: 3 } }],
    };
    // A folder that is there before is rejected at once, and one that comes later may come after the delivery.
    const put = (path: string) => daemon.request(path, { method: 'PUT' });
    assert.is((await put('/v2/queue/pause')).status, 200);
    const id = await daemon.create(body);
    await mkdir(join(to, name), { recursive: true });
    assert.is((await put('/v2/queue/resume')).status, 200);
    const job = await daemon.waitForJob(id);
    assert.equal(endings(job), [['failed', 'UploadFailureError']]);
    assert.equal(await readdir(to), [name]);
  });
}

test('of two outputs whose thumbnails turn out to have the same names, one fails and replaces nothing', async (context) => {
  const to = join(context.folder, 'sizes');
  const thumbnails = { number: 2, base_url: `file://${to}`, filename: '{{size}}-{{number}}' };
  const job = await encode(context, [
    { label: 'a', width: 80, height: 60, thumbnails },
    { label: 'b', width: 80, thumbnails },
    { label: 'c', width: 40, thumbnails },
  ]);
  assert.equal(endings(job).toSorted(), [
    ['failed', 'ThumbnailError'],
    ['finished', null],
    ['finished', null],
  ]);
  const failed = job.output_media_files.find(({ state }) => state === 'failed');
  assert.match(
    failed?.error_message ?? '',
    /^Two files of the job would be written to file:.*\/80x60-0\.png\.$/,
  );
  assert.equal((await readdir(to)).sort(), ['40x30-0.png', '40x30-1.png', '80x60-0.png', '80x60-1.png']);
});

const rejected: readonly (readonly [string, readonly object[], RegExp])[] = [
  ['with too long a name', [{ filename: `${'a'.repeat(247)}.mp4`, thumbnails: {} }], /255 bytes/],
  [
    'of two outputs with one destination',
    [
      { url: 'file:///tmp/a.mp4', thumbnails: {} },
      { url: 'file:///tmp/a.webm', label: 'b', thumbnails: {} },
    ],
    /outputs\[1\]\.thumbnails would write the same files as thumbnails\[0\] of outputs\[0\]/,
  ],
];

for (const [what, outputs, sentence] of rejected) {
  test(`thumbnails ${what} are rejected`, async ({ daemon }) => {
    const body = { input: 'file:///tmp/film.mp4', outputs };
    const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
    const { errors } = (await response.json()) as { errors: readonly string[] };
    assert.is(response.status, 422);
    assert.is(errors.length, 1, errors.join());
    assert.match(errors[0] ?? '', sentence);
  });
}

test('jobs with thumbnails leave no scratch files', async ({ daemon }) => {
  await waitUntilScratchIsEmpty(daemon.dataFolder);
});

test.run();
