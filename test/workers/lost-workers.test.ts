import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons } from '../helpers/daemon-process.js';
import { logsOf, printJobHistory } from '../helpers/job-history.js';
import { startTcpRelay } from '../helpers/servers/tcp-relay.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';
import { type FleetWorker, startWorkerFleet, type WorkerFleet } from '../helpers/worker-fleet.js';
import { killWorkers } from '../helpers/worker-process.js';

const test = suite('workers that are lost and come back');
test.after(() => {
  killWorkers();
  killDaemons();
});

/** Longer than a lease. */
const lostMs = suiteOptions().isLong ? 120_000 : 34_000;

const suiteName = 'workers/lost-workers';

/** Prints, in the long form, what became of a job and of the files and notifications of the whole test. */
const printEnd = (fleet: WorkerFleet, id: number, workers: readonly FleetWorker[], beganAt: number) => {
  printJobHistory(suiteName, id, [{ name: 'daemon', text: fleet.daemon.logged() }, ...logsOf(workers)]);
  const { notifications, deliveryFolder } = fleet.fixture;
  const accepted = notifications.filter(({ isAccepted }) => isAccepted).map(({ tag }) => tag);
  const files = readdirSync(deliveryFolder);
  const parts = [`notifications of ${accepted.sort().join(', ')}`, `files ${files.sort().join(', ')}`];
  printClosingLine(suiteName, parts, beganAt);
};

/** A job that runs for about a minute, and is delivered to a folder through the daemon. */
const longJob = (fleet: WorkerFleet, name: string) => ({
  input: fleet.fixture.source.url('/long.mp4'),
  url: `file://${fleet.fixture.deliveryFolder}/${name}.mp4`,
  width: 1920,
  upscale: true,
  speed: 1,
  quality: 5,
});

async function freezeWorker(): Promise<void> {
  const beganAt = performance.now();
  const fleet = await startWorkerFleet();
  const first = await fleet.startWorker('frozen');
  const id = await fleet.create('freeze', {
    url: `file://${fleet.fixture.deliveryFolder}/freeze.mp4`,
    width: 64,
  });
  await waitUntil('the job is given', async () => (await fleet.holdersOf(id)).length > 0);
  first.child.kill('SIGSTOP');
  const frozenAt = performance.now();
  const awake = await fleet.startWorker('awake');
  await waitUntil(
    'the job is taken by another, within 60 s',
    async () => (await fleet.holdersOf(id)).length > 1,
  );
  await fleet.waitUntilFinal(id);
  const seconds = (performance.now() - frozenAt) / 1000;
  assert.equal(await fleet.holdersOf(id), ['frozen', 'awake']);
  assert.ok(seconds < 90, `the job was taken and finished after ${seconds} s`);
  const path = join(fleet.fixture.deliveryFolder, 'freeze.mp4');
  const delivered = readFileSync(path);
  await pause(Math.max(0, lostMs - seconds * 1000));
  first.child.kill('SIGCONT');
  await waitUntil('the frozen worker stops', () => /no longer holds it/i.test(first.written()));
  const second = await fleet.create('after');
  await fleet.waitUntilFinal(second);
  assert.equal(readFileSync(path), delivered, 'the file of the other worker is unchanged');
  assert.is((await fleet.job(id)).state, 'finished');
  assert.is(fleet.fixture.notifications.filter(({ tag }) => tag === 'freeze').length, 1);
  printEnd(fleet, id, [first, awake], beganAt);
  await fleet.close();
}

async function cutWorkerOff(): Promise<void> {
  const beganAt = performance.now();
  const fleet = await startWorkerFleet();
  const relay = await startTcpRelay(Number(new URL(fleet.daemon.url).port));
  const cut = await fleet.startWorker('cut', `http://127.0.0.1:${relay.port}`);
  const id = await fleet.create('cut', { url: `file://${fleet.fixture.deliveryFolder}/cut.mp4`, width: 64 });
  await waitUntil('the job is given', async () => (await fleet.holdersOf(id)).length > 0);
  relay.isCut = true;
  const cutAt = performance.now();
  const near = await fleet.startWorker('near');
  await waitUntil(
    'the job is taken by another, within 60 s',
    async () => (await fleet.holdersOf(id)).length > 1,
  );
  await fleet.waitUntilFinal(id);
  assert.equal(await fleet.holdersOf(id), ['cut', 'near'], await fleet.logOf(id));
  const path = join(fleet.fixture.deliveryFolder, 'cut.mp4');
  const delivered = readFileSync(path);
  if (suiteOptions().isLong) await pause(Math.max(0, lostMs - (performance.now() - cutAt)));
  relay.isCut = false;
  await waitUntil('the worker that was cut off stops', () => /no longer holds it/i.test(cut.written()));
  assert.equal(readFileSync(path), delivered);
  // The other worker would take several jobs at once.
  await near.end('SIGTERM');
  const nextId = await fleet.create('next', { url: `file://${fleet.fixture.deliveryFolder}/next.mp4` });
  await fleet.waitUntilFinal(nextId);
  assert.equal(await fleet.holdersOf(nextId), ['cut'], 'it takes jobs again');
  assert.equal(readFileSync(path), delivered);
  await waitUntil('every notification is accepted', () => fleet.fixture.notifications.length >= 2);
  assert.is(fleet.fixture.notifications.filter(({ tag }) => tag === 'cut').length, 1);
  printEnd(fleet, id, [cut, near], beganAt);
  await relay.close();
  await fleet.close();
}

// Both wait for the end of a lease, at the same time.
const lostFleets = { freeze: Promise.resolve(), cut: Promise.resolve() };
test.before(() => {
  lostFleets.freeze = freezeWorker();
  lostFleets.cut = cutWorkerOff();
  for (const fleet of Object.values(lostFleets)) fleet.catch(() => {});
});

test('a frozen worker loses its job, another finishes it, and the first one delivers nothing after it wakes', () =>
  lostFleets.freeze);

test('a worker that is cut off finishes its encode, delivers nothing, and works again after it is back', () =>
  lostFleets.cut);

test('a cut that is shorter than the lease costs nothing', async () => {
  const fleet = await startWorkerFleet();
  const relay = await startTcpRelay(Number(new URL(fleet.daemon.url).port));
  await fleet.startWorker('cut', `http://127.0.0.1:${relay.port}`);
  const id = await fleet.create('short-cut');
  await waitUntil('the job is given', async () => (await fleet.holdersOf(id)).length > 0);
  relay.isCut = true;
  await pause(6000);
  relay.isCut = false;
  await fleet.waitUntilFinal(id);
  assert.is((await fleet.job(id)).state, 'finished');
  assert.equal(await fleet.holdersOf(id), ['cut']);
  await relay.close();
  await fleet.close();
});

test('behind a proxy that ends every connection after 10 s, jobs are claimed and finished', async () => {
  const fleet = await startWorkerFleet();
  const relay = await startTcpRelay(Number(new URL(fleet.daemon.url).port), { maxConnectionMs: 10_000 });
  await fleet.startWorker('proxied', `http://127.0.0.1:${relay.port}`);
  await pause(12_000);
  const ids = [await fleet.create('proxied-1'), await fleet.create('proxied-2')];
  for (const id of ids) await fleet.waitUntilFinal(id);
  for (const id of ids) assert.is((await fleet.job(id)).state, 'finished');
  await relay.close();
  await fleet.close();
});

test('a restart of the daemon does not cost a job that a worker runs', async () => {
  // Covered with the daemon of the fleet: a killed daemon starts again in the same folder and on the same port.
  const fleet = await startWorkerFleet();
  const worker = await fleet.startWorker('steady');
  const id = await fleet.create('restart', longJob(fleet, 'restart'));
  await waitUntil('ffmpeg runs', async () => /ffmpeg starts/.test(await fleet.logOf(id)));
  await fleet.restartDaemon('SIGKILL');
  await fleet.waitUntilFinal(id);
  const job = await fleet.job(id);
  assert.is(job.state, 'finished', worker.written());
  assert.equal(await fleet.holdersOf(id), ['steady']);
  assert.ok(readdirSync(fleet.fixture.deliveryFolder).includes('restart.mp4'));
  await fleet.close();
});

test('a worker that is killed and started again in its folder takes its job at once', async () => {
  const fleet = await startWorkerFleet();
  const worker = await fleet.startWorker('again');
  const id = await fleet.create('again', longJob(fleet, 'again'));
  await waitUntil('ffmpeg runs', async () => /ffmpeg starts/.test(await fleet.logOf(id)));
  await worker.end('SIGKILL');
  const restarted = await fleet.startWorker('again', fleet.daemon.url, worker.dataFolder);
  await waitUntil('the job is given again', async () => (await fleet.holdersOf(id)).length === 2);
  assert.match(await fleet.logOf(id), /the worker again has ended and started again/);
  assert.equal(await fleet.holdersOf(id), ['again', 'again']);
  await restarted.end('SIGKILL');
  await fleet.close();
});

test.run();
