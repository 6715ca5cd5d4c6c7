import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Workers } from '../../../daemon/queue/remote/workers.js';
import { openDrainedWorkers } from '../../../daemon/store/data-folder/drained-workers.js';
import { contractLeaseMs, workersContract } from '../../contracts/workers.js';
import { tempFolder } from '../../helpers/temp.js';
import { sampleJoin } from '../../helpers/test-worker.js';

workersContract('the worker registry in memory', async () => {
  const folder = tempFolder();
  const clock = { ms: 0 };
  const open = async () =>
    new Workers({
      now: () => new Date(clock.ms),
      randomToken: () => randomBytes(8).toString('hex'),
      leaseMs: contractLeaseMs,
      drained: await openDrainedWorkers(folder),
    });
  const registry = await open();
  return {
    registry,
    async pass(ms) {
      clock.ms += ms;
    },
    restart: open,
    close: () => registry.close(),
  };
});

test('drained names are in a file, and a damaged one counts as empty', async () => {
  const folder = tempFolder();
  const path = join(folder, 'drained-workers.json');
  const drained = await openDrainedWorkers(folder);
  assert.equal(await Promise.all([drained.set('a', true), drained.set('b', true)]), [false, false]);
  assert.equal([await drained.set('a', false), await drained.set('b', true)], [true, true]);
  assert.is(readFileSync(path, 'utf8'), '["b"]');
  assert.ok((await openDrainedWorkers(folder)).has('b'));
  for (const text of ['{', '{}', '[1]']) {
    writeFileSync(path, text);
    assert.not.ok((await openDrainedWorkers(folder)).has('b'));
  }
});

test('a name that could not be written does not drain', async () => {
  const folder = tempFolder();
  const drained = await openDrainedWorkers(join(folder, 'missing'));
  assert.instance(await drained.set('a', true).catch((error: unknown) => error), Error);
  assert.not.ok(drained.has('a'));
});

test('a worker that is not seen within a lease is reported as one that takes no jobs', async () => {
  // A lease may be over before the first check on a busy machine, so the clock stands still until then.
  let nowMs = 0;
  const registry = new Workers({ now: () => new Date(nowMs), randomToken: () => 'a', leaseMs: 20 });
  const reported = new Promise<void>((resolve) => registry.watchUnavailable(resolve));
  await registry.join(sampleJoin);
  assert.is(registry.availableAbilities(() => false).size, 1);
  nowMs = 21;
  const keepAlive = setInterval(() => {}, 60_000);
  await reported;
  clearInterval(keepAlive);
  assert.is(registry.availableAbilities(() => false).size, 0);
});

test('a worker that takes one job, and has it, is none that takes jobs', async () => {
  const registry = new Workers({
    now: () => new Date(),
    randomToken: () => 'a',
    leaseMs: 60_000,
  });
  await registry.join({ ...sampleJoin, name: 'pod', isOnce: true });
  const sizes = [true, false].map((hasJob) => registry.availableAbilities(() => hasJob).size);
  assert.equal(sizes, [0, 1]);
});

test.run();
