import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import { pollUntil, waitUntilScratchIsEmpty } from '../helpers/wait-until.js';
import { ask, create, progress, setUpCrash, workingIn } from './crash-harness.js';

const slow = { speed: 1, quality: 5, width: 1280, upscale: true };

const isTranscoding = (record: JobProgressRecord) => record.outputs[0]?.current_event === 'transcoding';

async function storedJob(path: string): Promise<Job> {
  return (JSON.parse(await readFile(path, 'utf8')) as { job: Job }).job;
}

test('a job survives kill -9 of the daemon during an encode, and no encoder process and no scratch file remain', async () => {
  const { data, input, start } = await setUpCrash();
  const first = await start();
  const id = await create(first, { input, outputs: [slow] });
  await pollUntil(() => progress(first, id), isTranscoding);
  // In a sandbox these are bubblewrap and ffmpeg.
  assert.ok((await workingIn(data)).length > 0);
  await first.end('SIGKILL');

  const second = await start();
  const last = await pollUntil(
    () => progress(second, id),
    ({ state }) => state === 'finished' || state === 'failed',
  );
  assert.is(last.state, 'finished');
  assert.equal(await workingIn(data), []);
  await waitUntilScratchIsEmpty(data);
  assert.is(await second.end('SIGTERM'), 0);
  const stored = await storedJob(join(data, 'jobs', 'done', '0', `${id}.json`));
  assert.is(stored.crashes, 1);
});

test('after kill -9 between a source and its dependent, the source stays finished and is made again only for the dependent', async () => {
  const { folder, data, input, start } = await setUpCrash();
  const first = await start();
  const outputs = [
    { label: 'next', source: 'source', ...slow },
    { label: 'source', width: 64, url: `file://${folder}/source.mp4` },
  ];
  const id = await create(first, { input, outputs });
  const isBetween = (record: JobProgressRecord) =>
    isTranscoding(record) && record.outputs[1]?.state === 'finished';
  await pollUntil(() => progress(first, id), isBetween);
  await first.end('SIGKILL');
  const delivered = await stat(join(folder, 'source.mp4'));

  const second = await start();
  const last = await pollUntil(
    () => progress(second, id),
    ({ state }) => state === 'finished' || state === 'failed',
  );
  assert.is(last.state, 'finished');
  const { ino, mtimeMs } = await stat(join(folder, 'source.mp4'));
  assert.equal([ino, mtimeMs], [delivered.ino, delivered.mtimeMs]);
  await waitUntilScratchIsEmpty(data);
  assert.is(await second.end('SIGTERM'), 0);
});

test('SIGTERM requeues a running job, exits with 0 and does not count as a crash', async () => {
  const { folder, data, input } = await setUpCrash();
  const first = await startDaemonProcess(data, ['--files-root', folder, '--grace', '0']);
  const id = await create(first, { input, outputs: [slow] });
  await pollUntil(() => progress(first, id), isTranscoding);
  assert.is(await first.end('SIGTERM'), 0);
  assert.equal(await workingIn(data), []);
  const stored = await storedJob(join(data, 'jobs', 'active', `${id}.json`));
  assert.equal([stored.state, stored.crashes], ['waiting', 0]);

  const second = await startDaemonProcess(data, ['--files-root', folder]);
  const record = (await (await ask(second, `/v2/jobs/${id}`)).json()) as { job: JobRecord };
  assert.ok(['waiting', 'processing'].includes(record.job.state));
  assert.is((await ask(second, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
  assert.is(await second.end('SIGTERM'), 0);
});

test('a second daemon on a used data folder or port reports it and exits with 6', async () => {
  const { folder, data } = await setUpCrash();
  const first = await startDaemonProcess(data);
  const rejected = async (started: Promise<unknown>) =>
    started.then(
      () => assert.unreachable('it started'),
      (error: Error) => error.message,
    );
  assert.match((await rejected(startDaemonProcess(data))) ?? '', /in use/);
  const port = new URL(first.url).port;
  assert.match(
    (await rejected(startDaemonProcess(join(folder, 'other'), ['--port', port]))) ?? '',
    /Port .* in use/,
  );
  assert.is(await first.end('SIGTERM'), 0);
});

test.after(killDaemons);

test.run();
