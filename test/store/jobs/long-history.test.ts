import { existsSync, readdirSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultAccountId } from '../../../daemon/jobs/job.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import { createJsonStoreHarness } from '../../helpers/json-store-harness.js';
import { makeJobs } from '../../helpers/make-jobs.js';
import { waitUntil } from '../../helpers/wait-until.js';

const test = suite('a store with a long history');

const count = 3000;
/** What the owner's jobs add up to, see `makeJobs`. */
const filter = { accountId: defaultAccountId, from: '2026-01-01', to: '2026-12-31' };

/** Thousands of writes would take long with fsync, and no crash of the machine is simulated here. */
const diskWithoutSync: Disk = {
  ...realDisk,
  syncFolder: async () => {},
  create: async (path) => ({ ...(await realDisk.create(path)), sync: async () => {} }),
};

/** A data folder with three thousand final jobs and no index, whose folders have not changed for a long time. */
async function harnessWithHistory() {
  const harness = await createJsonStoreHarness();
  const [firstEnd, lastEnd] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-03-01T00:00:00Z')];
  const ids = makeJobs(harness.folder, { count, firstEnd, lastEnd });
  const done = join(harness.folder, 'jobs', 'done');
  const age = () => {
    for (const name of readdirSync(done)) utimesSync(join(done, name), 1000, 1000);
  };
  age();
  return { harness, ids, age, index: join(harness.folder, 'jobs', 'index') };
}

test('a start that reads many jobs says so, and the next start finds them in the index', async () => {
  const { harness } = await harnessWithHistory();
  const store = await harness.open();
  assert.match(harness.logLines.join(), /^info Read the files of 3000 jobs in [\d.]+ s/);
  const page = { offset: 100, limit: 50 };
  const [jobs, usage] = [await store.list(page), await store.usage(filter)];
  assert.is(jobs.total, count);
  assert.ok(usage.length > 59 && usage.some(({ grouping }) => grouping !== null));
  // Not closed, as after a kill.
  await harness.crash('process');
  const again = await harness.open();
  assert.is(harness.logLines.length, 1);
  assert.equal([await again.list(page), await again.usage(filter)], [jobs, usage]);
});

test('the index is also written while the store is open, and a start after a crash finds every job', async () => {
  const { harness, ids, index, age } = await harnessWithHistory();
  const store = await harness.open({ disk: diskWithoutSync });
  unlinkSync(index);
  age();
  const change = (id: number, passThrough: string) => store.update(id, (job) => ({ ...job, passThrough }));
  // The later updates overlap with the write of the index.
  await Promise.all(ids.slice(-2000).map((id) => change(id, 'first')));
  await Promise.all(ids.slice(-200).map((id) => store.remove(id)));
  await waitUntil('the index is written', () => existsSync(index));
  const usage = await store.usage(filter);
  // The store is left open, as by a kill.
  harness.logLines.length = 0;
  const again = await harness.open();
  const page = { offset: 0, limit: 50 };
  const { jobs, total } = await again.list(page);
  assert.is(total, count - 200);
  assert.is(jobs[0]?.id, ids.at(-201));
  assert.is(jobs[0]?.passThrough, 'first');
  assert.equal(await again.usage(filter), usage);
  assert.is((await again.get(ids[0] ?? 0))?.passThrough, null);
});

test.run();
