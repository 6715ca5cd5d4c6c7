import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

const slow = { speed: 1, quality: 5, width: 1280, upscale: true };

async function setUp(): Promise<{ readonly folder: string; readonly data: string; readonly input: string }> {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('640x360', 3));
  return { folder, data: join(folder, 'data'), input: `file://${join(folder, 'in.mp4')}` };
}

const ask = (daemon: DaemonProcess, path: string, init: RequestInit = {}) =>
  fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': processKey } });

async function create(daemon: DaemonProcess, body: unknown): Promise<string> {
  const response = await ask(daemon, '/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 201);
  return ((await response.json()) as { id: string }).id;
}

async function progress(daemon: DaemonProcess, id: string): Promise<JobProgressRecord> {
  return (await (await ask(daemon, `/v2/jobs/${id}/progress`)).json()) as JobProgressRecord;
}

const isTranscoding = (record: JobProgressRecord) => record.outputs[0]?.current_event === 'transcoding';

const isSearching = (record: JobProgressRecord) =>
  record.outputs[0]?.current_event?.startsWith('search') === true;

/** Processes whose working directory is below a folder. */
async function workingIn(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const workingDirectories = await Promise.all(
    pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')),
  );
  return pids.filter((_, index) => workingDirectories[index]?.startsWith(folder));
}

async function storedJob(path: string): Promise<Job> {
  return (JSON.parse(await readFile(path, 'utf8')) as { job: Job }).job;
}

test('a job survives kill -9 of the daemon during an encode, and no encoder process and no scratch file remain', async () => {
  const { folder, data, input } = await setUp();
  const first = await startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
  const id = await create(first, { input, outputs: [slow] });
  await pollUntil(() => progress(first, id), isTranscoding);
  // In a sandbox these are bubblewrap and ffmpeg.
  assert.ok((await workingIn(data)).length > 0);
  await first.end('SIGKILL');

  const second = await startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
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
  const { folder, data, input } = await setUp();
  const first = await startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
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

  const second = await startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
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

test('a job survives kill -9 during its search for a quality, and after it does not search again', async () => {
  const { folder, data, input } = await setUp();
  const start = () => startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
  const first = await start();
  const output = { quality_target: 85, url: `file://${folder}/out.mp4`, clip_length: 1, width: 320 };
  const id = await create(first, { input, outputs: [output] });
  await pollUntil(() => progress(first, id), isSearching);
  await first.end('SIGKILL');

  const second = await start();
  await pollUntil(() => progress(second, id), isSearching);
  await pollUntil(
    () => progress(second, id),
    (record) => !isSearching(record),
  );
  await second.end('SIGKILL');

  const third = await start();
  const events: string[] = [];
  const last = await pollUntil(
    async () => {
      const record = await progress(third, id);
      events.push(record.outputs[0]?.current_event ?? '');
      return record;
    },
    ({ state }) => state === 'finished' || state === 'failed',
  );
  assert.is(last.state, 'finished');
  assert.not(events.some((event) => event.startsWith('search')));
  const { job } = (await (await ask(third, `/v2/jobs/${id}`)).json()) as { job: JobRecord };
  const { quality } = job.output_media_files[0] ?? {};
  assert.ok(
    (quality?.probes?.length ?? 0) >= 1 && Math.abs((quality?.mean ?? 0) - 85) <= 1,
    JSON.stringify(quality),
  );

  const cancelled = await create(third, { input, outputs: [{ ...output, overwrite: true }] });
  await pollUntil(() => progress(third, cancelled), isSearching);
  assert.is((await ask(third, `/v2/jobs/${cancelled}/cancel`, { method: 'PUT' })).status, 204);
  await waitUntilScratchIsEmpty(data);
  assert.equal(await workingIn(data), []);
  assert.is((await progress(third, cancelled)).state, 'cancelled');
  assert.is(await third.end('SIGTERM'), 0);
});

test('SIGTERM requeues a running job, exits with 0 and does not count as a crash', async () => {
  const { folder, data, input } = await setUp();
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
  const { folder, data } = await setUp();
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
