import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import type { OutputNotificationBody } from '../../src/shared/records/notifications.js';
import type { ErrorsRecord, JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = daemonSuite<{ daemon: TestDaemon; input: string; folder: string }>(
  'sets of thumbnails',
  async (context) => {
    context.folder = tempFolder();
    const path = join(context.folder, 'film.mp4');
    await makeMedia(path, film('320x180', 2));
    context.input = pathToFileURL(path).href;
    return { filesRoots: [context.folder] };
  },
);

const namesOf = (job: JobRecord) => job.thumbnails.map(({ url }) => url.slice(url.lastIndexOf('/') + 1));

test('labelled sets at one base_url have their labels in their names, in records and in notifications', async ({
  daemon,
  input,
  folder,
}) => {
  const endpoint = await startWebhookEndpoint();
  const target = `file://${folder}/sets`;
  const job = await daemon.waitForJob(
    await daemon.create({
      input,
      outputs: [
        {
          width: 64,
          notifications: endpoint.url('/'),
          thumbnails: [
            { label: 'first', base_url: target, number: 2 },
            { label: 'small', base_url: target, size: '32x18', format: 'jpg', times: [0.5] },
            { label: 'all', base_url: target, interval: 1, start_at_first_frame: true },
            { filename: 'sheet/{{size}}/{{number}}', base_url: target },
          ],
        },
      ],
    }),
  );
  assert.is(job.state, 'finished', JSON.stringify(job));
  const names = [
    'frame_first_0000.png',
    'frame_first_0001.png',
    'frame_small_0000.jpg',
    'frame_all_0000.png',
    'frame_all_0001.png',
    'frame_all_0002.png',
    '0.png',
  ];
  assert.equal(namesOf(job), names);
  assert.equal(
    job.thumbnails.map(({ group_label }) => group_label),
    ['first', 'first', 'small', 'all', 'all', 'all', undefined],
  );
  const delivered = await readdir(join(folder, 'sets'), { recursive: true });
  assert.equal(
    delivered.filter((name) => name.includes('.')).toSorted(),
    [...names.slice(0, -1), 'sheet/64x36/0.png'].toSorted(),
  );
  assert.equal(
    (await readFile(join(folder, 'sets', 'frame_small_0000.jpg'))).subarray(0, 2),
    Buffer.from([0xff, 0xd8]),
  );
  await waitUntil('the notification has arrived', () => endpoint.received.length === 1);
  const body = JSON.parse(endpoint.received[0]?.body ?? '') as OutputNotificationBody;
  const groups = body.output.thumbnails ?? [];
  assert.equal(
    groups.map(({ label, images }) => [label, images.length, images[0]?.format, images[0]?.dimensions]),
    [
      ['first', 2, 'PNG', '64x36'],
      ['small', 1, 'JPG', '32x18'],
      ['all', 3, 'PNG', '64x36'],
      [null, 1, 'PNG', '64x36'],
    ],
  );
  const sizes = await Promise.all(
    names.slice(0, -1).map(async (name) => (await readFile(join(folder, 'sets', name))).byteLength),
  );
  assert.equal(
    groups.slice(0, 3).flatMap(({ images }) => images.map((one) => one.file_size_bytes)),
    sizes,
  );
  await endpoint.close();
});

test('the sets of a hosted output are hosted, and removed with the job', async ({ daemon, input }) => {
  const thumbnails = [{ label: 'a', number: 2 }, { label: 'b', format: 'jpg' }, { prefix: 'still' }];
  const id = await daemon.create({ input, outputs: [{ width: 64, filename: 'film.mp4', thumbnails }] });
  const job = await daemon.waitForJob(id);
  assert.equal(namesOf(job), ['film_a_0000.png', 'film_a_0001.png', 'film_b_0000.jpg', 'still_0000.png']);
  const types = await Promise.all(
    job.thumbnails.map(async ({ url }) => (await fetch(url)).headers.get('content-type')),
  );
  assert.equal(types, ['image/png', 'image/png', 'image/jpeg', 'image/png']);
  assert.is((await daemon.request(`/v2/jobs/${id}`, { method: 'DELETE' })).status, 204);
  for (const { url } of job.thumbnails) assert.is((await fetch(url)).status, 404, url);
});

test('times after the end are left out with a warning; if none is left the output fails and nothing is delivered', async ({
  daemon,
  input,
  folder,
}) => {
  const target = `file://${folder}/late`;
  const job = await daemon.waitForJob(
    await daemon.create({
      input,
      outputs: [
        { width: 64, url: `${target}/a.mp4`, thumbnails: { times: [1, 50] } },
        { width: 64, url: `${target}/b.mp4`, thumbnails: [{}, { times: [50], prefix: 'x' }] },
      ],
    }),
  );
  const [some, none] = job.output_media_files;
  assert.equal([some?.state, none?.state, none?.error_class], ['finished', 'failed', 'ThumbnailError']);
  assert.match(some?.warnings?.join() ?? '', /^1 of 2 thumbnails were left out/);
  assert.equal((await readdir(join(folder, 'late'))).toSorted(), ['a.mp4', 'a_0000.png']);
});

test('images whose names have their size fail their output if they would replace each other', async ({
  daemon,
  input,
  folder,
}) => {
  const thumbnails = [{ filename: 'x-{{width}}' }, { filename: 'x-64', size: '32x18' }];
  const outputs = [{ width: 64, url: `file://${folder}/sized/a.mp4`, thumbnails }];
  const job = await daemon.waitForJob(await daemon.create({ input, outputs }));
  assert.is(job.output_media_files[0]?.error_class, 'ThumbnailError');
  assert.match(job.output_media_files[0]?.error_message ?? '', /sized\/x-64\.png/);
  assert.not(existsSync(join(folder, 'sized')));
});

test('sets that would write the same files are rejected, and thumbnails of an audio output are a warning', async ({
  daemon,
  input,
  folder,
}) => {
  const errorsOf = async (outputs: unknown) => {
    const body = JSON.stringify({ input, outputs, mock: true });
    const response = await daemon.request('/v2/jobs', { method: 'POST', body });
    const { errors = [], warnings = [] } = (await response.json()) as Partial<ErrorsRecord> & {
      warnings?: readonly { field: string }[];
    };
    return [errors, warnings.map(({ field }) => field)];
  };
  const base_url = `file://${folder}/t`;
  const set = { base_url };
  assert.equal(await errorsOf([{ thumbnails: [set, set] }]), [
    ['outputs[0].thumbnails[1] would write the same files as thumbnails[0] of outputs[0]'],
    [],
  ]);
  assert.equal(await errorsOf([{ thumbnails: set }, { thumbnails: set }]), [
    ['outputs[1].thumbnails would write the same files as thumbnails[0] of outputs[0]'],
    [],
  ]);
  assert.equal(
    await errorsOf([
      { url: `${base_url}/frame_0002.png`, format: 'mp4' },
      { thumbnails: { ...set, number: 5 } },
    ]),
    [['outputs[1].thumbnails would write the same files as outputs[0]'], []],
  );
  const bySize = { base_url, filename: '{{size}}/{{number}}' };
  assert.equal(await errorsOf([{ thumbnails: [bySize, { ...bySize, width: 32 }] }]), [[], []]);
  assert.equal(await errorsOf([{ thumbnails: { base_url: 'http://h/x' } }]), [
    [
      'outputs[0].thumbnails.base_url must not be http: outputs need an S3, GCS, Swift, FTP, SFTP or file: URL',
    ],
    [],
  ]);
  assert.equal(await errorsOf([{ filename: 'a.mp3', thumbnails: { number: 3 } }]), [
    [],
    ['outputs[0].thumbnails'],
  ]);
  assert.equal(await errorsOf([{ thumbnails: { credentials: 'none', base_url } }]), [
    ['outputs[0].thumbnails.credentials names credentials that this account does not have'],
    [],
  ]);
});

test.run();
