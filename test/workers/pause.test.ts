import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord, WorkerRecord } from '../../src/shared/records.js';
import { encoderStates } from '../helpers/chaos/processes.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, settleEventLoop, waitUntil } from '../helpers/wait-until.js';
import { createWorkerKey, killWorkers, runVenc, startWorker } from '../helpers/worker-process.js';

const test = suite('workers that are paused');

test.after(() => {
  killWorkers();
  killDaemons();
});

/** A daemon that encodes nothing itself, and what its tests do with it and its workers. */
async function startSetup() {
  const [dataFolder, root] = [tempFolder(), tempFolder()];
  await copyFile(await media('long.mp4'), join(root, 'in.mp4'));
  const input = pathToFileURL(join(root, 'in.mp4')).href;
  const flags = ['--jobs', '0', '--files-root', root];
  let daemon = await startDaemonProcess(dataFolder, flags);
  const { url } = daemon;
  const token = await createWorkerKey(dataFolder);
  const request = (path: string, method = 'GET', body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'Service-Api-Key': processKey },
      ...(body && { body: JSON.stringify(body) }),
    });
  const job = async (id: string) =>
    ((await (await request(`/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
  return {
    request,
    job,
    /** Lets everything that has begun at the daemon end. */
    settle: () => settleEventLoop(() => request('/v2/queue')),
    async create(output: object) {
      const response = await request('/v2/jobs', 'POST', { input, outputs: [output] });
      return ((await response.json()) as { id: string }).id;
    },
    finishes: (id: string) =>
      pollUntil(
        () => job(id),
        ({ state }) => state === 'finished',
      ),
    async start(name: string, folder = tempFolder()) {
      const worker = startWorker(url, token, ['--name', name, '--grace', '0s'], folder);
      await waitUntil(`${name} has joined`, () => worker.written().includes(`${name} has joined`));
      return worker;
    },
    async command(...args: readonly string[]) {
      const { code, stderr } = await runVenc(args, { VENC_URL: url, VENC_API_KEY: processKey });
      assert.is(code, 0, stderr);
    },
    async workers() {
      const answer = (await (await request('/v2/workers')).json()) as { workers: readonly WorkerRecord[] };
      return answer.workers.map(({ name, paused, draining }) => ({ name, paused, draining }));
    },
    async restartDaemon() {
      await daemon.end('SIGKILL');
      daemon = await startDaemonProcess(dataFolder, [...flags, '--port', new URL(url).port]);
    },
  };
}

/** An encode that takes seconds. */
const slow = { speed: 1, width: 1280, upscale: true };
/** An encode that takes a moment. */
const quick = { width: 64, clip_length: 1 };

/** Waits until the encoders of a worker have a state, `T` if they are stopped. */
const encoders = (folder: string, state: RegExp) =>
  waitUntil(`an encoder has the state ${state}`, () => state.test(encoderStates(folder)));
const [running, stopped, gone] = [/^[^T]+$/, /^T+$/, /^$/];

test('a paused worker ends what it runs and takes no job until it is resumed, over restarts', async () => {
  const { create, start, command, workers, finishes, job, settle, restartDaemon } = await startSetup();
  const first = await start('box');
  const encoding = await create({ ...slow, clip_length: 4 });
  await encoders(first.dataFolder, running);
  await command('workers', 'pause', 'box');
  const later = await create(quick);
  await finishes(encoding);
  await settle();
  assert.is((await job(later)).state, 'waiting');
  await first.end('SIGTERM');
  const second = await start('box', first.dataFolder);
  await restartDaemon();
  await waitUntil('it has joined again', () => / joined http\S+ again/.test(second.written()));
  await settle();
  assert.equal(await workers(), [{ name: 'box', paused: true, draining: false }]);
  assert.is((await job(later)).state, 'waiting');
  await command('workers', 'resume', 'box');
  await finishes(later);
  await command('workers', 'pause', 'box');
  const last = await create(quick);
  await settle();
  assert.is((await job(last)).state, 'waiting', 'it was idle when it was paused');
  await command('workers', 'drain', 'box');
  assert.is((await second.ended).code, 0);
  await command('workers', 'resume', 'box');
  const third = await start('box', first.dataFolder);
  assert.equal(await workers(), [{ name: 'box', paused: false, draining: false }]);
  await finishes(last);
  await third.end('SIGTERM');
});

test('a pause with now stops the encoder of a worker, and a job of one that is killed then goes to another', async () => {
  const { create, start, finishes, job, settle, request } = await startSetup();
  const first = await start('first');
  const id = await create(slow);
  const freeze = async () => {
    await encoders(first.dataFolder, running);
    await request('/v2/queue/pause', 'PUT', { now: true });
    await encoders(first.dataFolder, stopped);
  };
  await freeze();
  await request('/v2/queue/resume', 'PUT');
  await freeze();
  await first.end('SIGKILL');
  await encoders(first.dataFolder, gone);
  // From the same folder, so that the daemon knows that the first has ended and does not wait for its lease.
  const second = await start('second', first.dataFolder);
  await pollUntil(
    () => job(id),
    ({ state }) => state === 'waiting',
  );
  await settle();
  assert.equal([(await job(id)).state, encoderStates(second.dataFolder)], ['waiting', '']);
  await request('/v2/queue/resume', 'PUT');
  assert.is((await finishes(id)).output_media_files[0]?.width, slow.width);
  const starts = (text: string) => text.match(new RegExp(`Job ${id} started`, 'g'))?.length;
  assert.equal([starts(first.written()), starts(second.written())], [1, 1]);
  await second.end('SIGTERM');
});

test.run();
