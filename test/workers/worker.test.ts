import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord, WorkerRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { readSamples, samplesOf } from '../helpers/prometheus.js';
import { s3rverKeys, startS3rver } from '../helpers/servers/s3rver.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import {
  createWorkerKey,
  encodersOf,
  isRunning,
  runVenc,
  startWorker,
  type WorkerProcess,
} from '../helpers/worker-process.js';

const test = suite('venc worker');

/** A slow encode of an input. */
const slow = { speed: 1, quality: 5, width: 1920, upscale: true };

const filesRoot = tempFolder();
let daemon: TestDaemon;
let token = '';
const workers: WorkerProcess[] = [];

const startOne = (args: readonly string[] = [], dataFolder?: string, env: NodeJS.ProcessEnv = {}) => {
  const worker = startWorker(daemon.url, token, args, dataFolder, env);
  workers.push(worker);
  return worker;
};

const waitForEncoder = async (worker: WorkerProcess): Promise<number> => {
  let pids: readonly number[] = [];
  await waitUntil('the worker encodes', async () => {
    pids = await encodersOf(worker);
    return pids.length > 0;
  });
  return pids[0] ?? 0;
};

test.before(async () => {
  daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true, filesRoots: [filesRoot] });
  token = await createWorkerKey(daemon.dataFolder);
});

test.after.each(async () => {
  for (const worker of workers.splice(0)) {
    worker.child.kill('SIGKILL');
    await worker.ended;
  }
});

test.after(() => daemon.stop());

test('a worker outside its hours stays joined, says so, and takes no job', async () => {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const inThreeDays = days[(new Date().getDay() + 3) % 7] ?? '';
  const worker = startOne(['--name', 'night', '--hours', inThreeDays, '--once']);
  const state = async () => {
    const { workers: found } = await daemon.read<{ workers: readonly WorkerRecord[] }>('/v2/workers');
    return found.find(({ name }) => name === 'night');
  };
  await waitUntil('it has reported', async () => (await state())?.closed_by === 'hours');
  assert.ok(Date.parse((await state())?.closed_until ?? '') > Date.now());
  const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4', outputs: [{ width: 80 }] });
  const { stdout } = await runVenc(['workers'], { VENC_URL: daemon.url, VENC_API_KEY: daemon.key });
  assert.match(stdout, /night +outside hours +0\/1/);
  assert.is((await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job.state, 'waiting');
  assert.is((await daemon.request('/v2/workers/night/drain', { method: 'PUT' })).status, 204);
  await worker.ended;
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
});

test('an uploaded input becomes a hosted output, and the log of the job is at the daemon', async () => {
  const worker = startOne(['--name', 'w1']);
  const bytes = await readFile(await media('clip.mp4'));
  const uploaded = await daemon.request('/v2/uploads/clip.mp4', { method: 'PUT', body: bytes });
  const { url } = (await uploaded.json()) as { url: string };
  const id = await daemon.create({ input: url, outputs: [{ filename: 'out.mp4', width: 80 }] });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job));
  const [output] = job.output_media_files;
  const received = Buffer.from(await (await fetch(output?.url ?? '')).arrayBuffer());
  assert.is(output?.file_size_bytes, received.length);
  assert.is(output?.md5_checksum, createHash('md5').update(received).digest('hex'));
  assert.match(worker.written(), /^w1 has joined http:/m);
  assert.ok(daemon.logLines.some((line) => line.includes(`Job ${id} started`)));
  const log = await (await daemon.request(`/v2/jobs/${id}/log.txt`)).text();
  assert.match(log, / -progress | -c:v libx264 /);
  await checkMetrics(received.length);
  const scratch = join(worker.dataFolder, 'worker', 'scratch');
  await waitUntil('the scratch folder is empty', async () => (await readdir(scratch)).length === 0);
  assert.not.match(`${worker.written()}${daemon.logLines.join()}`, new RegExp(token));
});

test('a foreign file on the machine of the daemon fails the output before its encode, also in a retry', async () => {
  startOne();
  await copyFile(await media('clip.mp4'), join(filesRoot, 'me.mp4'));
  await writeFile(join(filesRoot, 'taken.mp4'), 'mine');
  const urlOf = (name: string) => pathToFileURL(join(filesRoot, name)).href;
  const outputs = [
    { url: urlOf('taken.mp4'), width: 80 },
    { url: urlOf('free.mp4'), width: 80, thumbnails: { number: 1 } },
  ];
  const id = await daemon.create({ input: urlOf('me.mp4'), outputs });
  const job = await daemon.waitForJob(id);
  const [taken, free] = job.output_media_files;
  assert.is(taken?.error_class, 'UploadFailureError');
  assert.match(taken?.error_message ?? '', 'taken.mp4 was not replaced');
  assert.is(await readFile(join(filesRoot, 'taken.mp4'), 'utf8'), 'mine');
  assert.is(free?.state, 'finished', JSON.stringify(job));
  const log = await (await daemon.request(`/v2/jobs/${id}/log.txt`)).text();
  assert.not.match(log, `output ${taken?.id} is being delivered`);
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  await daemon.waitForJob(id);
  assert.is(await readFile(join(filesRoot, 'taken.mp4'), 'utf8'), 'mine');
  await rm(join(filesRoot, 'taken.mp4'));
  assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  assert.is((await daemon.waitForJob(id)).state, 'finished');
});

/** Checks what the metrics of the daemon have of a job that a worker ran. */
async function checkMetrics(deliveredBytes: number): Promise<void> {
  const samples = readSamples(await (await fetch(`${daemon.url}/metrics`)).text());
  const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samplesOf(samples, name, labels)[0]?.value ?? 0;
  assert.is(value('venc_jobs_ended_total', { state: 'finished' }), 1);
  assert.is(value('venc_job_wait_seconds_count'), 1);
  assert.is(value('venc_uploaded_bytes_total', { scheme: 'hosted' }), deliveredBytes);
  assert.is(value('venc_encode_seconds_total'), 0);
  assert.is(value('venc_encode_speed_ratio_count'), 0);
}

test('files of the machine of the daemon are read and delivered through the daemon', async () => {
  startOne();
  const input = join(filesRoot, 'in put.mp4');
  await copyFile(await media('clip.mp4'), input);
  const output = join(filesRoot, 'new', 'out.mp4');
  const urls = [input, output].map((path) => pathToFileURL(path).href);
  const id = await daemon.create({ input: urls[0], outputs: [{ url: urls[1], thumbnails: { number: 2 } }] });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(job.output_media_files[0]?.file_size_bytes, (await readFile(output)).length);
});

test('files in buckets are transferred by the worker itself, with the saved credentials of the account', async () => {
  const s3 = await startS3rver(['films']);
  try {
    const { id: key, secret } = s3rverKeys;
    const add = ['credentials', 'add', 'films', '--scheme', 's3', '--data', daemon.dataFolder];
    assert.is((await runVenc(add, {}, `${key}\n${secret}\n`)).code, 0);
    startOne([], undefined, { AWS_ENDPOINT_URL: s3.endpoint });
    await copyFile(await media('clip.mp4'), join(filesRoot, 'for-bucket.mp4'));
    const input = pathToFileURL(join(filesRoot, 'for-bucket.mp4')).href;
    const outputs = (url: string) => [{ url, credentials: 'films', width: 80 }];
    const first = await daemon.create({ input, outputs: outputs('s3://films/one.mp4') });
    assert.is((await daemon.waitForJob(first)).state, 'finished');
    const again = {
      input: 's3://films/one.mp4',
      credentials: 'films',
      outputs: outputs('s3://films/two.mp4'),
    };
    const second = await daemon.waitForJob(await daemon.create(again));
    assert.is(second.state, 'finished', JSON.stringify(second));
    const size = second.output_media_files[0]?.file_size_bytes;
    assert.is((await readFile(join(s3.folder, 'films', 'two.mp4._S3rver_object'))).length, size);
  } finally {
    await s3.close();
  }
});

test('a cancel ends ffmpeg on the worker within 5 seconds, and the worker goes on', async () => {
  const worker = startOne();
  const input = join(filesRoot, 'long.mp4');
  await copyFile(await media('long.mp4'), input);
  const url = pathToFileURL(input).href;
  const id = await daemon.create({ input: url, outputs: [slow] });
  const pid = await waitForEncoder(worker);
  const response = await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.ok(response.ok, String(response.status));
  const cancelledAt = performance.now();
  await waitUntil('ffmpeg has ended', async () => !(await isRunning(pid)));
  assert.ok(performance.now() - cancelledAt < 5_000);
  const next = await daemon.create({ input: url, outputs: [{ width: 80, clip_length: 1 }] });
  assert.is((await daemon.waitForJob(next)).state, 'finished');
});

test('a worker that gets SIGTERM gives its job back after the grace period, and another runs it', async () => {
  const first = startOne(['--name', 'first', '--grace', '0s']);
  const input = join(filesRoot, 'again.mp4');
  await copyFile(await media('long.mp4'), input);
  const id = await daemon.create({
    input: pathToFileURL(input).href,
    outputs: [{ ...slow, clip_length: 4 }],
  });
  const pid = await waitForEncoder(first);
  const { code, stderr } = await first.end('SIGTERM');
  assert.is(code, 0, stderr);
  assert.match(stderr, /waiting up to 0 s \(--grace\) for 1 running job;/);
  assert.is(await isRunning(pid), false);
  assert.is((await daemon.read<{ job: { state: string } }>(`/v2/jobs/${id}`)).job.state, 'waiting');
  startOne(['--name', 'second']);
  assert.is((await daemon.waitForJob(id)).state, 'finished');
});

test('with --once a worker runs one job, and its exit code is that of the job', async () => {
  const good = await copyFile(await media('clip.mp4'), join(filesRoot, 'good.mp4')).then(() => 'good.mp4');
  for (const [name, exitCode] of [
    [good, 0],
    ['missing.mp4', 1],
  ] as const) {
    const id = await daemon.create({
      input: pathToFileURL(join(filesRoot, name)).href,
      outputs: [{ width: 80 }],
    });
    const { code, stderr } = await startOne(['--once']).ended;
    assert.is(code, exitCode, stderr);
    assert.is((await daemon.waitForJob(id)).state, exitCode === 0 ? 'finished' : 'failed');
  }
});

test('after SIGKILL the next start of a worker ends its encoders and clears its folder', async () => {
  const killed = startOne();
  const input = join(filesRoot, 'killed.mp4');
  await copyFile(await media('long.mp4'), input);
  const id = await daemon.create({ input: pathToFileURL(input).href, outputs: [slow] });
  const pid = await waitForEncoder(killed);
  await killed.end('SIGKILL');
  // The next worker may run the same job again, in a folder of the same name.
  const remains = join(killed.dataFolder, 'worker', 'scratch', String(id), 'remains');
  await writeFile(remains, '');
  const next = startOne([], killed.dataFolder);
  await waitUntil('the next worker has joined', () => next.written().includes('has joined'));
  assert.is(await isRunning(pid), false);
  assert.is(existsSync(remains), false);
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
});

test.run();
