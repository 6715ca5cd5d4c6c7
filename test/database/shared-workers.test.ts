import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workers } from '../../daemon/queue/remote/workers.js';
import { isVencError } from '../../src/shared/errors.js';
import { contractLeaseMs } from '../contracts/workers.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { type SharedWorkersHarness, sharedWorkersHarness } from '../helpers/shared-workers-harness.js';
import { printClosingLine } from '../helpers/suite-options.js';
import { sampleJoin } from '../helpers/test-worker.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'workers that several daemons share';

interface Context {
  harness: SharedWorkersHarness;
}

const namesOf = (registry: Workers) => registry.list().map((worker) => worker.name);
const lastSeen = (registry: Workers) => Date.parse(registry.list()[0]?.lastSeenAt ?? '');

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite<Context>(name);
  const server = await startPostgres(found.bin);
  const closingLine: string[] = [];

  test.before.each(async (context) => {
    context.harness = await sharedWorkersHarness(server);
  });
  test.after.each(({ harness }) => harness.close());
  test.after(() => server.end());

  test('a worker that joined at one daemon claims and reports at another at once', async ({ harness }) => {
    const { registry: there } = await harness.open();
    const { workerId } = await harness.registry.join({ ...sampleJoin, labels: ['gpu'] });
    const worker = await there.find(workerId);
    assert.is(worker.name, 'box');
    const { registry: third } = await harness.open();
    assert.equal(namesOf(third), ['box'], 'a daemon that starts knows it');
    assert.equal(
      third.abilities().map(({ labels }) => [...labels]),
      [['gpu']],
    );
  });

  test('every daemon lists all workers, until they leave', async ({ harness }) => {
    const here = harness.registry;
    const { registry: there } = await harness.open();
    const { workerId } = await here.join(sampleJoin);
    await there.join({ ...sampleJoin, labels: ['gpu'] });
    for (const registry of [here, there])
      await waitUntil('both are listed', () => namesOf(registry).join() === 'box,box-2');
    assert.equal(there.list()[1]?.labels, ['gpu']);
    const { stopped } = await there.find(workerId);
    await here.leave(workerId);
    await waitUntil('it has left', () => namesOf(there).join() === 'box-2');
    assert.ok(stopped.aborted, 'its waiting claim ends');
  });

  test('two workers that join at two daemons at once have two names', async ({ harness }) => {
    const { registry: there } = await harness.open();
    const joins = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? harness.registry : there).join(sampleJoin),
    );
    const names = (await Promise.all(joins)).map((joined) => joined.name);
    assert.is(new Set(names).size, 10);
    assert.ok(names.includes('box') && names.includes('box-10'));
  });

  test('a worker that joins twice while others join has one session', async ({ harness }) => {
    const { registry } = harness;
    const { registry: there } = await harness.open();
    const ended: string[] = [];
    there.watchEnded((one) => ended.push(one.name));
    const [, replaced, last] = await Promise.all([
      registry.join(sampleJoin),
      registry.join({ ...sampleJoin, folderId: 'f', processId: '1' }),
      registry.join({ ...sampleJoin, folderId: 'f', processId: '2' }),
    ]);
    assert.is(last.name, 'box-2');
    for (const one of [registry, there]) {
      await waitUntil('both are listed', () => namesOf(one).join() === 'box,box-2');
      const error = await one.find(replaced.workerId).catch((caught: unknown) => caught);
      assert.ok(isVencError(error, 'NotFoundError'));
      assert.is((await one.find(last.workerId)).name, 'box-2');
    }
    assert.equal(ended, ['box-2']);
  });

  test('a drain and a resume are effective in every daemon', async ({ harness }) => {
    const { registry: there } = await harness.open();
    const { workerId } = await harness.registry.join(sampleJoin);
    const { stopped } = await there.find(workerId);
    const start = performance.now();
    assert.is(await harness.registry.setDraining('box', true), true);
    await waitUntil('its waiting claim ends', () => stopped.aborted);
    closingLine.push(`a drain arrived after ${Math.round(performance.now() - start)} ms`);
    assert.ok(await there.isDraining(workerId));
    await there.leave(workerId);
    const again = (await there.join(sampleJoin)).workerId;
    assert.ok(await there.isDraining(again), 'the name drains');
    await there.sync();
    assert.ok(await there.isDraining(again));
    assert.is(await there.setDraining('box', false), true);
    await waitUntil('it is resumed', async () => !(await harness.registry.isDraining(again)));
  });

  test('a worker that one daemon sees is seen by all, and is forgotten by all', async ({ harness }) => {
    const here = harness.registry;
    const { registry: there } = await harness.open();
    const { workerId } = await here.join(sampleJoin);
    await there.find(workerId);
    await harness.pass(3 * contractLeaseMs);
    const before = lastSeen(here);
    there.seen(workerId);
    await there.sync();
    await here.sync();
    assert.ok(lastSeen(here) - before >= 3 * contractLeaseMs - 1000);
    await harness.pass(4 * contractLeaseMs + 1);
    assert.equal([...namesOf(here), ...namesOf(there)], []);
    await here.sync();
    const rows = await server.query(harness.database, 'select from venc.workers');
    assert.is(rows.length, 0);
    assert.ok(isVencError(await there.find(workerId).catch((error: unknown) => error), 'NotFoundError'));
  });

  test('the end of a process is reported in the daemon that gave it a job', async ({ harness }) => {
    const here = harness.registry;
    const { registry: there } = await harness.open();
    const ended: string[] = [];
    here.watchEnded((one) => ended.push(`${one.name} ${one.replacedBy}`));
    const request = { ...sampleJoin, folderId: 'f' };
    const first = await here.join({ ...request, processId: '1' });
    const same = await there.join({ ...request, processId: '1' });
    assert.is(same.name, 'box');
    const next = await there.join({ ...request, processId: '2' });
    await waitUntil('the end is reported', () => ended.length > 0);
    assert.equal(ended, [`box ${next.workerId}`]);
    assert.ok(
      isVencError(await there.find(first.workerId).catch((error: unknown) => error), 'NotFoundError'),
    );
    await waitUntil('one is listed', () => namesOf(here).join() === 'box');
  });

  test('known workers can claim while the database does not answer, and changes of that time are read after it', async ({
    harness,
  }) => {
    const here = harness.registry;
    const { registry: there, logLines } = await harness.open();
    const { workerId } = await here.join(sampleJoin);
    await there.find(workerId);
    // A join is confirmed before it is on the disk.
    await server.query(harness.database, 'checkpoint');
    await server.kill();
    assert.is((await there.find(workerId)).name, 'box');
    assert.not.ok(await there.isDraining('unknown'));
    // One after the other: an error of the next must not come before it is handled.
    for (const attempt of [
      () => there.find('unknown'),
      () => there.join(sampleJoin),
      () => there.setDraining('box', true),
    ])
      assert.ok(isVencError(await attempt().catch((error: unknown) => error), 'UnavailableError'));
    await there.sync();
    await there.sync();
    assert.is(logLines.filter((line) => line.includes('workers of the other daemons')).length, 1);
    await server.restart();
    await server.query(harness.database, "insert into venc.drained_workers values ('box')");
    await waitUntil('the drain is read', async () => {
      await there.sync();
      return there.isDraining(workerId);
    });
    assert.ok((await there.find(workerId)).isDraining);
  });

  test('notifications of another form are ignored', async ({ harness }) => {
    const bad = ['', '[]', '{"changes":[{"type":"left"},{"type":"new"},{"type":"joined","id":1}]}'];
    for (const payload of bad)
      await server.query(harness.database, `select pg_notify('venc_messages', 'workers ${payload}')`);
    const { registry: there } = await harness.open();
    await there.join(sampleJoin);
    await waitUntil('it is listed', () => namesOf(harness.registry).join() === 'box');
  });

  test('times are printed', () => {
    assert.ok(closingLine.length > 0);
    printClosingLine(name, closingLine);
  });

  test.run();
}
