import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isFinal } from '../../src/shared/states.js';
import { processesOf } from '../helpers/chaos/processes.js';
import { type DaemonProcess, killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  createHeld,
  type DatabaseDaemons,
  deliveryUrl,
  finalJob,
  findDatabasePrograms,
  jobAt,
  progressAt,
  requestTo,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { readTimedEvents } from '../helpers/read-timed-events.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { waitUntil } from '../helpers/wait-until.js';
import { killWorkers, startWorker } from '../helpers/worker-process.js';

const name = 'any daemon of a database answers for any job';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite(name);
  let daemons: DatabaseDaemons;
  /** Runs jobs, one at a time. */
  let one: DaemonProcess;
  /** Runs no jobs. */
  let other: DaemonProcess;

  test.before(async () => {
    daemons = await startDatabaseDaemons(bin);
    one = await daemons.start('one', 1);
    other = await daemons.start('other', 0);
  });
  test.before.each(() => daemons.source.hold());
  test.after(async () => {
    killWorkers();
    killDaemons();
    await daemons.close();
  });

  test('a job that is created at one runs at the other, and each has its record', async () => {
    const url = deliveryUrl(daemons, 'created');
    const id = await createAt(other, { input: daemons.source.url('clip'), output: { url, width: 64 } });
    assert.is((await finalJob(other, id)).state, 'finished');
    assert.equal(await jobAt(one, id), await jobAt(other, id));
    assert.ok(one.logged().includes(`Job ${id}`), 'one has run it');
    assert.is(await countAt(other, id), 1, 'it is listed');
  });

  test('progress and events of a run pass to the other within 2 s', async () => {
    const id = await createHeld(daemons, other);
    const isRunning = async () => (await progressAt(other, id)).state === 'processing';
    await within(2000, 'the other knows of the run', isRunning);
    const events = await requestTo(other, `/v2/jobs/${id}/events`);
    const read = readTimedEvents(events);
    daemons.source.release();
    await waitUntil('the job has ended', async () => isFinal((await jobAt(one, id)).state));
    await within(2000, 'the other knows of the end', async () => isFinal((await jobAt(other, id)).state));
    const states = (await read).map(([, { state }]) => state);
    assert.is(states[0], 'processing');
    assert.is(states.at(-1), 'finished');
  });

  test('the progress of an encode that runs elsewhere rises', async () => {
    const id = await createAt(other, { input: daemons.source.url('long'), output: slowEncode });
    const seen = new Set<number>();
    await waitUntil('the other sees three values', async () => {
      const { progress } = await progressAt(other, id);
      if (progress !== undefined && progress !== null && progress > 0 && progress < 100) seen.add(progress);
      return seen.size >= 3;
    });
    assert.equal(
      [...seen].toSorted((a, b) => a - b),
      [...seen],
      'it never falls',
    );
    assert.is((await requestTo(other, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    await waitUntil('the encoder has ended', () => encodersOf(daemons, 'one').length === 0);
  });

  test('a cancel at one ends the ffmpeg of the other within 5 s, and a resubmit there runs it again', async () => {
    const id = await createAt(one, { input: daemons.source.url('long'), output: slowEncode });
    await waitUntil('ffmpeg runs', () => encodersOf(daemons, 'one').length > 0);
    assert.is((await requestTo(other, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    await within(5000, 'ffmpeg has ended', () => encodersOf(daemons, 'one').length === 0);
    assert.is((await jobAt(one, id)).state, 'cancelled');
    assert.is((await requestTo(other, `/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
    await waitUntil('ffmpeg runs again', () => encodersOf(daemons, 'one').length > 0);
    assert.is((await requestTo(other, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    await waitUntil('ffmpeg has ended again', () => encodersOf(daemons, 'one').length === 0);
    assert.is((await requestTo(other, `/v2/jobs/${id}`, { method: 'DELETE' })).status, 204);
    for (const daemon of [one, other])
      await waitUntil('it is gone', async () => (await requestTo(daemon, `/v2/jobs/${id}`)).status === 404);
    assert.is(await countAt(one, id), 0, 'it is not listed');
  });

  test('a resubmit while the cancelled run still ends starts one run', async () => {
    const id = await createAt(one, { input: daemons.source.url('long'), output: slowEncode });
    await waitUntil('ffmpeg runs', () => encodersOf(daemons, 'one').length > 0);
    assert.is((await requestTo(other, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    assert.is((await requestTo(other, `/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
    await waitUntil('it runs again', async () => (await jobAt(other, id)).state === 'processing');
    await waitUntil('ffmpeg runs again', () => encodersOf(daemons, 'one').length > 0);
    assert.is((await requestTo(one, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    await waitUntil('ffmpeg has ended', () => encodersOf(daemons, 'one').length === 0);
  });

  test('an Idempotency-Key is known to both, also if both get it at once', async () => {
    const settings = (tag: string) => ({ input: daemons.source.url('clip'), tag, idempotencyKey: tag });
    const first = await createAt(one, settings('key-1'));
    assert.is(await createAt(other, settings('key-1')), first);
    const repeats = Array.from({ length: 8 }, (_, index) =>
      createAt(index % 2 === 0 ? one : other, settings('key-2')),
    );
    assert.is(new Set(await Promise.all(repeats)).size, 1);
    const changed = createAt(other, { ...settings('key-1'), output: { width: 32 } });
    const message = await changed.then(String, String);
    assert.match(message, /create: 4\d\d/, 'another request with the same key is rejected');
  });

  test('workers at different daemons make the outputs of a job that need different labels', async () => {
    const token = await daemons.createKey('worker');
    const start = async ({ url }: DaemonProcess, label: string) => {
      const worker = startWorker(url, token, ['--name', label, '--label', label]);
      await waitUntil(`${label} has joined`, () => worker.written().includes('has joined'));
      return worker;
    };
    const outputs = ['red', 'blue'].map((label) => ({
      ...{ label, width: 64, requires: [label] },
      url: deliveryUrl(daemons, label),
    }));
    const id = await createAt(one, { input: daemons.source.url('clip'), outputs });
    const workers = [await start(one, 'red')];
    await waitUntil('the first output is finished', async () =>
      (await jobAt(other, id)).output_media_files.some(({ state }) => state === 'finished'),
    );
    workers.push(await start(other, 'blue'));
    const job = await finalJob(one, id);
    assert.equal([job.state, job.worker], ['finished', 'blue']);
    for (const worker of workers) assert.match(worker.written(), new RegExp(`Job ${id} started`));
    for (const worker of workers) assert.is((await worker.end('SIGTERM')).code, 0);
  });

  test('a key that is created in the database opens both daemons', async () => {
    const key = await daemons.createKey('full');
    for (const daemon of [one, other])
      await within(2000, 'it is admitted', async () => (await requestTo(daemon, '/v2/jobs', { key })).ok);
  });

  test("a rotated owner's key opens both daemons and is in both data folders", async () => {
    const key = await daemons.rotateOwnerKey();
    const keyOf = (name: string) => readFileSync(join(daemons.dataFolder(name), 'owner-key'), 'utf8').trim();
    for (const daemon of [one, other])
      await within(2000, 'it is admitted', async () => (await requestTo(daemon, '/v2/jobs', { key })).ok);
    for (const name of ['one', 'other']) await within(2000, 'it is in the folder', () => keyOf(name) === key);
  });

  test.run();

  async function countAt(daemon: DaemonProcess, id: number): Promise<number> {
    const response = await requestTo(daemon, '/v2/jobs?per_page=50');
    const records = (await response.json()) as readonly { readonly job: { readonly id: number } }[];
    return records.filter(({ job }) => Number(job.id) === id).length;
  }
}

/** Takes far longer than a test waits for it. */
const slowEncode = { width: 1920, upscale: true, speed: 1, quality: 5 };

/** The encoders of a daemon. */
function encodersOf({ dataFolder }: DatabaseDaemons, name: string): readonly number[] {
  return processesOf(dataFolder(name))
    .filter(({ command }) => /^\S*ffmpeg\b.*libx264/.test(command))
    .map(({ pid }) => pid);
}

/** Waits until a condition is true, which must be within a time. */
async function within(
  limitMs: number,
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const beganAt = performance.now();
  await waitUntil(what, condition);
  const ms = Math.round(performance.now() - beganAt);
  assert.ok(ms <= limitMs, `${what}: after ${ms} ms, not within ${limitMs} ms`);
}
