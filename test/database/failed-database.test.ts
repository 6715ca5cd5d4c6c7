import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { processesOf } from '../helpers/chaos/processes.js';
import { killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  createHeld,
  type DatabaseDaemons,
  deliveryUrl,
  finalJob,
  findDatabasePrograms,
  isDelivered,
  jobAt,
  requestTo,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { startTcpRelay } from '../helpers/servers/tcp-relay.js';
import { waitUntil } from '../helpers/wait-until.js';
import { encodersOf, killWorkers, startWorker } from '../helpers/worker-process.js';

const name = 'daemons whose database fails';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

/** An encode that takes several seconds. */
const encode = { width: 1280, upscale: true };

function describe(bin: string): void {
  const test = suite<{ daemons: DatabaseDaemons }>(name);
  test.before.each(async (context) => {
    context.daemons = await startDatabaseDaemons(bin);
  });
  test.after.each(async ({ daemons }) => {
    killWorkers();
    killDaemons();
    await daemons.close();
  });

  test('requests are answered with 503, and the encode goes on and is handed in', async ({ daemons }) => {
    const daemon = await daemons.start('one', 1);
    const url = deliveryUrl(daemons, 'failed');
    const notify = daemons.webhooks.url('/failed');
    const settings = { input: daemons.source.url('long'), output: { ...encode, url }, notify };
    const id = await createAt(daemon, settings);
    const ffmpeg = () =>
      processesOf(daemons.dataFolder('one')).filter(({ command }) => /ffmpeg.*libx264/.test(command));
    await waitUntil('ffmpeg runs', () => ffmpeg().length > 0);
    await daemons.server.kill();
    const body = JSON.stringify({ input: settings.input, outputs: [{}] });
    const requests = [
      ['/v2/jobs', { method: 'POST', body }],
      [`/v2/jobs/${id}`, {}],
      ['/v2/jobs', {}],
      [`/v2/jobs/${id}/cancel`, { method: 'PUT' }],
    ] as const;
    for (const [path, init] of requests) {
      const response = await requestTo(daemon, path, init);
      assert.is(response.status, 503, path);
      assert.ok(Number(response.headers.get('retry-after')) > 0, path);
      assert.match(await response.text(), /database/, path);
    }
    // The answer of the check is reused for a second.
    await waitUntil('/health says why', async () => {
      const health = await requestTo(daemon, '/health');
      return health.status === 503 && /The database .* is not available/.test(await health.text());
    });
    await waitUntil('the encode has ended', () => ffmpeg().length === 0);
    assert.is(isDelivered(daemons, 'failed'), false, 'nothing is delivered meanwhile');
    await waitUntil('the end of the encode cannot be stored', () => /cannot be .* yet/.test(daemon.logged()));
    await daemons.server.restart();
    await waitUntil('it answers again', async () => (await requestTo(daemon, `/v2/jobs/${id}`)).ok);
    assert.is((await finalJob(daemon, id, 90_000)).state, 'finished', daemon.logged());
    assert.is(isDelivered(daemons, 'failed'), true);
    await waitUntil('/health is good', async () => (await requestTo(daemon, '/health')).ok);
    await waitUntil('it is reported', () => daemons.webhooks.received.length > 0);
    assert.is(encodesIn(daemon.logged(), id), 1, daemon.logged());
    assert.is(daemons.webhooks.received.length, 1);
    assert.is(daemon.child.exitCode, null);
  });

  test('a worker finishes its encode while the database does not answer, and delivers it afterwards', async ({
    daemons,
  }) => {
    const daemon = await daemons.start('one', 0);
    const worker = startWorker(daemon.url, await daemons.createKey('worker'));
    const notify = daemons.webhooks.url('/worker');
    const url = deliveryUrl(daemons, 'worker');
    const settings = { input: daemons.source.url('long'), output: { ...encode, url }, notify };
    const id = await createAt(daemon, settings);
    await waitUntil('the worker encodes', async () => (await encodersOf(worker)).length > 0);
    await daemons.server.kill();
    await waitUntil('its encode ends', async () => (await encodersOf(worker)).length === 0);
    assert.is((await requestTo(daemon, `/v2/jobs/${id}`)).status, 503);
    assert.is(isDelivered(daemons, 'worker'), false, 'nothing is delivered meanwhile');
    await daemons.server.restart();
    await waitUntil('it answers again', async () => (await requestTo(daemon, `/v2/jobs/${id}`)).ok);
    assert.is((await finalJob(daemon, id, 90_000)).state, 'finished', worker.written());
    assert.is(isDelivered(daemons, 'worker'), true);
    assert.is(worker.written().match(new RegExp(`Job ${id} started`, 'g'))?.length, 1, worker.written());
    await waitUntil('it is reported', () => daemons.webhooks.received.length > 0);
    assert.is(daemons.webhooks.received.length, 1);
    assert.is((await worker.end('SIGTERM')).code, 0);
  });

  test('a table that is missing for a while fails no job', async ({ daemons }) => {
    const daemon = await daemons.start('one', 1);
    const url = deliveryUrl(daemons, 'renamed');
    const id = await createAt(daemon, { input: daemons.source.url('long'), output: { ...encode, url } });
    const ffmpeg = () =>
      processesOf(daemons.dataFolder('one')).filter(({ command }) => /ffmpeg.*libx264/.test(command));
    await waitUntil('ffmpeg runs', () => ffmpeg().length > 0);
    const database = new URL(daemons.dsn).pathname.slice(1);
    await daemons.server.query(database, 'alter table venc.jobs rename to jobs_away');
    const response = await requestTo(daemon, `/v2/jobs/${id}`);
    assert.is(response.status, 503);
    assert.match(await response.text(), /is not available: relation .* does not exist/);
    await waitUntil('the encode has ended', () => ffmpeg().length === 0);
    await waitUntil('the end of the encode cannot be stored', () => /cannot be .* yet/.test(daemon.logged()));
    await daemons.server.query(database, 'alter table venc.jobs_away rename to jobs');
    assert.is((await finalJob(daemon, id, 90_000)).state, 'finished', daemon.logged());
    assert.is(encodesIn(daemon.logged(), id), 1, daemon.logged());
  });

  test('runs that need saved credentials while they cannot be read wait for them', async ({ daemons }) => {
    const daemon = await daemons.start('one', 1);
    const database = new URL(daemons.dsn).pathname.slice(1);
    const settings = { input: daemons.source.url('held'), output: { width: 64 } };
    // Two downloads run at once: those of the others begin later.
    const ids = [await createHeld(daemons, daemon, settings), await createHeld(daemons, daemon, settings)];
    for (let count = 0; count < 2; count += 1) ids.push(await createAt(daemon, settings));
    const isClaimed = async (id: number) => (await jobAt(daemon, id)).state === 'processing';
    for (const id of ids) await waitUntil(`job ${id} is claimed`, () => isClaimed(id));
    await daemons.server.query(database, 'alter table venc.credentials rename to credentials_away');
    daemons.source.release();
    await waitUntil('they cannot be read', () => /credentials .* cannot be read yet/.test(daemon.logged()));
    await daemons.server.query(database, 'alter table venc.credentials_away rename to credentials');
    for (const id of ids) assert.is((await finalJob(daemon, id)).state, 'finished', daemon.logged());
  });

  test('a worker whose daemon is killed continues through another one and keeps its claim', async ({
    daemons,
  }) => {
    const killed = await daemons.start('killed', 0);
    const other = await daemons.start('other', 0);
    const relay = await startTcpRelay(Number(new URL(killed.url).port));
    const worker = startWorker(`http://127.0.0.1:${relay.port}`, await daemons.createKey('worker'));
    const url = deliveryUrl(daemons, 'moved');
    const id = await createAt(other, { input: daemons.source.url('long'), output: { ...encode, url } });
    await waitUntil('the worker encodes', async () => (await encodersOf(worker)).length > 0);
    const encoders = await encodersOf(worker);
    await killed.end('SIGKILL');
    relay.toPort = Number(new URL(other.url).port);
    await waitUntil('its encode ends', async () => (await encodersOf(worker)).length === 0);
    const job = await finalJob(other, id, 90_000);
    assert.is(job.state, 'finished', worker.written());
    assert.is(worker.written().match(new RegExp(`Job ${id} started`, 'g'))?.length, 1, `${encoders}`);
    assert.not.match(other.logged(), /no longer reports/);
    assert.equal(await jobAt(other, id), job);
    assert.is(isDelivered(daemons, 'moved'), true);
    assert.is((await worker.end('SIGTERM')).code, 0);
    await relay.close();
  });

  test.run();
}

/** How often a daemon has encoded a job. */
function encodesIn(log: string, id: number): number {
  return log.split('\n').filter((line) => line.includes(`Job ${id} `) && /started/.test(line)).length;
}
