import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';
import { s3rverKeys, startS3rver } from '../helpers/servers/s3rver.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntilScratchIsEmpty } from '../helpers/wait-until.js';
import { StepBarriers } from '../pipeline/barriers.js';
import { fakeFfmpeg } from '../pipeline/fake-ffmpeg.js';

const { signal } = new AbortController();

/** A server that sends the first bytes of a video at once, and the rest when the barrier `/NAME` is open. */
async function slowSource(barriers: StepBarriers) {
  const film = await readFile(await media('clip.mp4'));
  return startHttpSource(async ({ url = '' }, response) => {
    response.writeHead(200, { 'Content-Length': film.byteLength }).write(film.subarray(0, 100));
    await barriers.pass(url, signal);
    response.end(film.subarray(100));
  });
}

/** An encoder that reports its first second and ends a job when `finishJob` is called for it. */
async function slowEncoder() {
  const folder = tempFolder();
  const encoder = await fakeFfmpeg();
  const film = await media('clip.mp4');
  const words = "printf 'frame=25\\nout_time_us=1000000\\nspeed=1x\\nprogress=continue\\n'";
  const job = '$(basename "$(dirname "$product")")';
  await encoder.does(
    `${words}; while [ ! -e '${folder}/'"${job}" ]; do sleep 0.05; done; cp '${film}' "$product"`,
  );
  return {
    path: encoder.path,
    finishJob: (id: number | string) => writeFile(join(folder, String(id)), ''),
  };
}

/** An S3 server behind a proxy in which every upload waits for the barrier of its path. */
async function slowBucket(barriers: StepBarriers) {
  const storage = await startS3rver(['films']);
  const front = createServer(async (asked, answer) => {
    const { method, url = '', headers } = asked;
    if (method === 'PUT') await barriers.pass(url.replace(/\?.*/, ''), signal);
    const onward = httpRequest(
      { host: '127.0.0.1', port: storage.port, method, path: url, headers },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    async close() {
      front.close();
      front.closeAllConnections();
      await storage.close();
    },
  };
}

const downloads = ({ input }: JobProgressRecord) => input.current_event === 'downloading';
const transcodes = ({ outputs: [output] }: JobProgressRecord) => output?.current_event === 'transcoding';
const uploads = ({ outputs: [output] }: JobProgressRecord) => output?.current_event === 'uploading';
const isReady = ({ outputs: [output] }: JobProgressRecord) => output?.state === 'queued';

test('with one encoder, one job is uploaded, one is encoded and one is downloaded at the same time', async () => {
  const barriers = new StepBarriers();
  const [source, bucket, encoder] = [
    await slowSource(barriers),
    await slowBucket(barriers),
    await slowEncoder(),
  ];
  process.env.AWS_ENDPOINT_URL_S3 = bucket.endpoint;
  process.env.AWS_ACCESS_KEY_ID = s3rverKeys.id;
  process.env.AWS_SECRET_ACCESS_KEY = s3rverKeys.secret;
  const daemon = await startTestDaemon({ jobs: 1, ffmpeg: encoder.path, stallTimeoutSeconds: 60 });
  try {
    const create = (name: string) =>
      daemon.create({ input: source.url(`/${name}`), outputs: [{ url: `s3://films/${name}.mp4` }] });
    const [first, second, third, fourth] = [
      await create('one'),
      await create('two'),
      await create('three'),
      await create('four'),
    ];
    barriers.open('/one');
    await daemon.waitForProgress(first, transcodes);
    assert.is((await daemon.waitForProgress(second, downloads)).state, 'processing');
    barriers.open('/two');
    const ready = await daemon.waitForProgress(second, isReady);
    assert.equal([ready.input.state, ready.outputs[0]?.progress], ['finished', 0]);
    assert.ok(transcodes(await daemon.waitForProgress(first, () => true)));

    await encoder.finishJob(first);
    await barriers.come('/films/one.mp4');
    await daemon.waitForProgress(second, transcodes);
    await daemon.waitForProgress(third, downloads);
    assert.ok(uploads(await daemon.waitForProgress(first, () => true)));

    assert.is((await daemon.request(`/v2/jobs/${third}/cancel`, { method: 'PUT' })).status, 204);
    assert.is((await daemon.request(`/v2/jobs/${first}/cancel`, { method: 'PUT' })).status, 204);
    const scratch = join(daemon.dataFolder, 'scratch');
    await pollUntil(
      () => readdir(scratch),
      (names) => !names.includes(String(first)) && !names.includes(String(third)),
    );
    barriers.open('/four', '/films/one.mp4', '/films/two.mp4', '/films/four.mp4');
    for (const id of [second, fourth]) await encoder.finishJob(id);
    for (const id of [second, fourth]) assert.is((await daemon.waitForJob(id)).state, 'finished');
    for (const id of [first, third]) assert.is((await daemon.waitForJob(id)).state, 'cancelled');
    await waitUntilScratchIsEmpty(daemon.dataFolder);
  } finally {
    barriers.open('/one', '/two', '/three', '/four');
    await daemon.stop();
    await source.close();
    await bucket.close();
  }
});

test('after kill -9 every job is run again, at whichever stage it was', async () => {
  const barriers = new StepBarriers();
  const [source, encoder, data] = [
    await slowSource(barriers),
    await slowEncoder(),
    join(tempFolder(), 'data'),
  ];
  const flags = ['--jobs', '1', '--ffmpeg', encoder.path, '--sandbox', 'none'];
  const headers = { 'Service-Api-Key': processKey };
  const first = await startDaemonProcess(data, flags);
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const body = JSON.stringify({ input: source.url(`/${name}`), outputs: [{}] });
    const response = await fetch(`${first.url}/v2/jobs`, { method: 'POST', headers, body });
    ids.push(((await response.json()) as { id: string }).id);
  }
  const progressIs = (
    daemon: { readonly url: string },
    id: string,
    isSo: (of: JobProgressRecord) => boolean,
  ) =>
    pollUntil(async () => {
      const response = await fetch(`${daemon.url}/v2/jobs/${id}/progress`, { headers });
      return (await response.json()) as JobProgressRecord;
    }, isSo);
  const [encoding = '', ready = '', coming = ''] = ids;
  barriers.open('/one');
  await progressIs(first, encoding, transcodes);
  barriers.open('/two');
  await progressIs(first, ready, isReady);
  await progressIs(first, coming, downloads);
  await first.end('SIGKILL');

  barriers.open('/three');
  for (const id of ids) await encoder.finishJob(id);
  const second = await startDaemonProcess(data, flags);
  for (const id of ids) await progressIs(second, id, ({ state }) => state === 'finished');
  await waitUntilScratchIsEmpty(data);
  assert.is(await second.end('SIGTERM'), 0);
  await source.close();
});

test.after(killDaemons);

test.run();
