import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { killDaemons } from '../helpers/daemon-process.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startWorkerFleet, type WorkerFleet } from '../helpers/worker-fleet.js';
import { encodersOf, killWorkers, startWorker, type WorkerProcess } from '../helpers/worker-process.js';

interface Context {
  fleet: WorkerFleet;
}

const test = suite<Context>('jobs whose outputs are made by several workers');
test.before.each(async (context) => {
  context.fleet = await startWorkerFleet();
});
test.after.each(async ({ fleet }) => {
  killWorkers();
  await fleet.close();
  killDaemons();
});

/** Starts a worker with labels, and waits until it has joined. */
async function start(fleet: WorkerFleet, name: string, ...labels: readonly string[]): Promise<WorkerProcess> {
  const flags = ['--name', name, ...labels.flatMap((label) => ['--label', label])];
  const worker = startWorker(fleet.daemon.url, fleet.token, flags, undefined, fleet.fixture.env);
  await waitUntil(`${name} has joined`, () => /has joined/.test(worker.written()));
  return worker;
}

/** An output for a worker with a label, which is delivered to a folder. */
function outputFor(fleet: WorkerFleet, label: string, settings: object = {}) {
  const url = `file://${fleet.fixture.deliveryFolder}/${label}.mp4`;
  return { label, url, overwrite: true, width: 64, requires: [label], ...settings };
}

async function create(fleet: WorkerFleet, outputs: readonly object[], name = 'long'): Promise<number> {
  const { source, webhooks } = fleet.fixture;
  const body = {
    input: source.url(`/${name}.mp4`),
    outputs,
    notifications: [webhooks.url('/')],
    pass_through: 'shared',
  };
  const response = await fleet.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 201, await response.clone().text());
  return Number(((await response.json()) as { id: string }).id);
}

async function ended(fleet: WorkerFleet, id: number): Promise<JobRecord> {
  await waitUntil('the job has ended', async () => isFinal((await fleet.job(id)).state));
  return fleet.job(id);
}

const logOf = async (fleet: WorkerFleet, id: number) =>
  (await fleet.request(`/v2/jobs/${id}/log.txt`)).text();

/** The workers to which a job was given, in order. */
const holdersIn = (log: string) =>
  [...log.matchAll(/is given to the worker (\S+)\./g)].map(([, name]) => name);

const statesOf = ({ output_media_files: outputs }: JobRecord) => outputs.map(({ state }) => state);

test('each worker makes the outputs that it can, and fetches the input once', async ({ fleet }) => {
  await start(fleet, 'red', 'red');
  const { source, notifications, deliveryFolder } = fleet.fixture;
  const id = await create(fleet, [outputFor(fleet, 'red'), outputFor(fleet, 'blue')]);
  await waitUntil('the first output is finished', async () =>
    statesOf(await fleet.job(id)).includes('finished'),
  );
  await waitUntil('the job waits for another worker', async () => (await fleet.job(id)).state === 'waiting');
  assert.equal(statesOf(await fleet.job(id)), ['finished', 'waiting']);
  assert.equal(notifications, []);
  const requestsOfOne = source.seen.length;
  await start(fleet, 'blue', 'blue');
  const job = await ended(fleet, id);
  const log = await logOf(fleet, id);
  assert.equal([job.state, statesOf(job)], ['finished', ['finished', 'finished']], log);
  assert.equal(holdersIn(log), ['red', 'blue']);
  assert.match(log, /waits for a machine that makes its other outputs/);
  assert.is(source.seen.length, 2 * requestsOfOne);
  assert.equal(
    ['red.mp4', 'blue.mp4'].map((name) => existsSync(join(deliveryFolder, name))),
    [true, true],
  );
  await waitUntil('the notification is delivered', () => notifications.some(({ isAccepted }) => isAccepted));
  assert.equal(
    notifications.filter(({ isAccepted }) => isAccepted).map(({ state }) => state),
    ['finished'],
  );
});

test('a worker that can make all outputs gets them all', async ({ fleet }) => {
  await start(fleet, 'both', 'red', 'blue');
  await start(fleet, 'red', 'red');
  await start(fleet, 'blue', 'blue');
  const ids: number[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push(await create(fleet, [outputFor(fleet, 'red'), outputFor(fleet, 'blue')], 'short'));
  for (const id of ids) {
    assert.is((await ended(fleet, id)).state, 'finished');
    assert.equal(holdersIn(await logOf(fleet, id)), ['both']);
  }
});

test('a worker that is killed costs the outputs that it makes, and no others', async ({ fleet }) => {
  const slow = { speed: 1, quality: 5, width: 1920, upscale: true };
  await start(fleet, 'red', 'red');
  const id = await create(fleet, [outputFor(fleet, 'red'), outputFor(fleet, 'blue', slow)]);
  await waitUntil('the first output is finished', async () =>
    statesOf(await fleet.job(id)).includes('finished'),
  );
  const finished = (await fleet.job(id)).output_media_files[0];
  const blue = await start(fleet, 'blue', 'blue');
  await waitUntil('the second worker encodes', async () => (await encodersOf(blue)).length > 0);
  await blue.end('SIGKILL');
  // In the same folder, so that the daemon knows at once that the process has ended.
  startWorker(
    fleet.daemon.url,
    fleet.token,
    ['--name', 'blue', '--label', 'blue'],
    blue.dataFolder,
    fleet.fixture.env,
  );
  const job = await ended(fleet, id);
  const log = await logOf(fleet, id);
  assert.equal([job.state, statesOf(job)], ['finished', ['finished', 'finished']], log);
  assert.equal(holdersIn(log), ['red', 'blue', 'blue']);
  assert.equal(job.output_media_files[0], finished);
});

test.run();
