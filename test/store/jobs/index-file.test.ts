import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job, Notification } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import {
  applying,
  draftFor,
  draftWith,
  finishUpdates,
  startUpdates,
  updateAll,
  withClaim,
} from '../../contracts/job-store/store-facts.js';
import { createJsonStoreHarness, type JsonStoreHarness } from '../../helpers/json-store-harness.js';

interface Context {
  harness: JsonStoreHarness;
  jobs: readonly Job[];
  index: string;
  done: string;
  /** The file of one of the jobs. */
  file: string;
}

const test = suite<Context>('the index of jobs');
const page = { offset: 0, limit: 50 };

const notification: Notification = {
  id: 'msg_1_job_0_0',
  outputId: null,
  target: { url: 'http://localhost/notified', format: 'json', headers: {} },
  attempts: 0,
  dueAt: '2024-05-06T07:08:09.010Z',
};

/**
 * Three final jobs in a folder that has not changed for a long time, of a store that was closed cleanly. The last has
 * a key, a pending notification, and an output that finished.
 */
test.before.each(async (context) => {
  context.harness = await createJsonStoreHarness();
  const store = await context.harness.open();
  const jobs: Job[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { id } = await store.create(draftFor());
    jobs.push(await store.update(id, applying({ type: 'cancelled' })));
  }
  const last = await store.create(draftWith({ key: 'k', grouping: 'g', outputCount: 2 }));
  jobs.push(
    await updateAll(store, last, [
      ...startUpdates,
      ...finishUpdates(last.id + 2, 1.5),
      applying({ type: 'cancelled' }),
      (job) => ({ ...job, pendingNotifications: [notification] }),
    ]),
  );
  context.jobs = jobs;
  context.index = join(context.harness.folder, 'jobs', 'index');
  context.done = join(context.harness.folder, 'jobs', 'done', '0');
  context.file = join(context.done, `${jobs[1]?.id}.json`);
  await store.writeFiles();
  utimesSync(context.done, 1000, 1000);
  await store.close();
});

/** The data of a store about anna's jobs beyond the lists: usage, whether a job has notifications, and whether one has the key. */
async function listedIds(store: JobStore): Promise<unknown> {
  const usage = await store.usage({ accountId: 'anna', from: '0000-01-01', to: '9999-12-31' });
  const withNotifications = await store.listWithNotifications();
  const keyed = await store.findByIdempotencyKey('anna', 'k', new Date(0));
  return { usage, noticed: withNotifications.length, isKeyKnown: keyed !== null };
}

const storeState = {
  usage: [{ day: '2024-05-06', grouping: 'g', encodedMs: 1500, billableMs: 1500 }],
  noticed: 1,
  isKeyKnown: true,
};

/** Lists all jobs after a start, and whether that start read the files: if so, it found the damaged one. */
async function restart({ harness, jobs }: Context): Promise<{ hasRead: boolean; total: number }> {
  const store = await harness.open();
  const hasRead = harness.logLines.length > 0;
  const { total } = await store.list({ ...page, limit: 0 });
  assert.equal(await store.get(jobs[0]?.id ?? 0), jobs[0]);
  await harness.crash('process');
  return { hasRead, total };
}

test('a start reads no final job if its folder is unchanged since the index', async (context) => {
  writeFileSync(context.file, 'written in place, so that the folder is unchanged');
  assert.equal(await restart(context), { hasRead: false, total: 3 });
});

test('a named pipe in the place of the index counts as a missing index, and the start does not wait for it', async (context) => {
  unlinkSync(context.index);
  execFileSync('mkfifo', [context.index]);
  assert.is((await restart(context)).total, 3);
});

test('the index also contains usage, notifications and keys', async (context) => {
  const { harness, file } = context;
  writeFileSync(file, 'written in place, so that the folder is unchanged');
  const store = await harness.open();
  assert.equal(await listedIds(store), storeState);
  assert.equal(harness.logLines, []);
  await store.close();
  // Rewritten from the contents of the index, it has the same contents.
  assert.equal(await listedIds(await harness.open()), storeState);
  assert.equal(harness.logLines, []);
});

test('a start that rebuilds usage reads every file, even with a valid index, and rewrites the index', async (context) => {
  const { harness, jobs, done } = context;
  const path = join(done, `${jobs[2]?.id}.json`);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replaceAll('"durationSeconds":1.5', '"durationSeconds":2.5'),
  );
  const changed = { ...storeState.usage[0], encodedMs: 2500, billableMs: 2500 };
  for (const { isUsageRebuilt, usage } of [
    { isUsageRebuilt: false, usage: storeState.usage },
    { isUsageRebuilt: true, usage: [changed] },
    { isUsageRebuilt: false, usage: [changed] },
  ]) {
    const store = await harness.open({ isUsageRebuilt });
    assert.equal(await store.usage({ accountId: 'anna', from: '2024-05-06', to: '2024-05-06' }), usage);
    // Not closed, as after a kill: the rebuilt usage is kept.
    await harness.crash('process');
  }
});

test('a final job that was edited by hand counts as changed once it was read', async (context) => {
  const { harness, jobs, done } = context;
  const path = join(done, `${jobs[2]?.id}.json`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"accountId":"anna"', '"accountId":"bert"'));
  const store = await harness.open();
  await store.get(jobs[2]?.id ?? 0);
  assert.is((await store.list({ ...page, accountId: 'bert', state: 'cancelled' })).total, 1);
  assert.is((await store.list({ ...page, accountId: 'anna', state: 'cancelled' })).total, 2);
  assert.equal(await store.usage({ accountId: 'anna', from: '2024-05-06', to: '2024-05-06' }), []);
});

test('a start after a crash without changes of final jobs reads no final job', async (context) => {
  const store = await context.harness.open();
  await store.create(draftFor());
  await context.harness.crash('process');
  writeFileSync(context.file, 'written in place, so that the folder is unchanged');
  assert.equal(await restart(context), { hasRead: false, total: 4 });
});

test('a start after a crash reads the folders that changed since', async (context) => {
  const store = await context.harness.open();
  const id = context.jobs[2]?.id ?? 0;
  const changed = await store.update(id, withClaim('a'));
  await context.harness.crash('process');
  writeFileSync(context.file, 'written in place');
  assert.equal(await restart(context), { hasRead: true, total: 2 });
  assert.equal(await (await context.harness.open()).get(id), changed);
});

/** Replaces a part of the line of the first folder. */
const spoilFolder = (path: string, from: string | RegExp, to: string) => {
  const [head = '', line = ''] = readFileSync(path, 'utf8').split('\n');
  const spoiled = line.replace(from, to);
  assert.is.not(spoiled, line);
  writeFileSync(path, `${head}\n${spoiled}\n`);
};

for (const { what, spoil } of [
  { what: 'missing', spoil: (path: string) => unlinkSync(path) },
  { what: 'damaged', spoil: (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, -5)) },
  { what: 'of another version', spoil: (path: string) => writeFileSync(path, '{"version":0,"folders":{}}') },
  {
    what: 'larger than the longest text of Node.js',
    spoil: (path: string) => truncateSync(path, 3 * 2 ** 30),
  },
  {
    what: 'of a version with one object for all jobs',
    spoil: (path: string) =>
      writeFileSync(path, '{"version":2,"folders":{"0":{"changedAtNs":"1","jobs":[]}}}'),
  },
  {
    what: 'of a machine with another order of bytes',
    spoil: (path: string) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(/"byteOrder":"\w+"/, '"byteOrder":"other"')),
  },
  { what: 'damaged in its rows', spoil: (path: string) => spoilFolder(path, 'AAAA', 'AAAB') },
  { what: 'damaged in a key', spoil: (path: string) => spoilFolder(path, '"k"', '"l"') },
  { what: 'damaged in its checksum', spoil: (path: string) => spoilFolder(path, /,(\d+),"/, ',1,"') },
]) {
  test(`the index is rebuilt if it is ${what}`, async (context) => {
    spoil(context.index);
    const store = await context.harness.open();
    assert.equal(await store.list(page), { jobs: [...context.jobs].reverse(), total: 3 });
    assert.equal(await listedIds(store), storeState);
    assert.equal(context.harness.logLines, []);
  });
}

test('jobs whose files were deleted while the daemon was stopped are not listed', async (context) => {
  unlinkSync(context.file);
  assert.equal(await restart(context), { hasRead: false, total: 2 });
});

test('a folder that changed just before the close is not in the index', async (context) => {
  const store = await context.harness.open();
  await store.update(context.jobs[0]?.id ?? 0, withClaim('a'));
  await store.close();
  assert.is(readFileSync(context.index, 'utf8').split('\n').filter(Boolean).length, 1);
});

test('creates and updates do not touch the index', async (context) => {
  unlinkSync(context.index);
  const store = await context.harness.open();
  const { id } = await store.create(draftFor());
  await store.update(id, applying({ type: 'cancelled' }));
  assert.not.ok(existsSync(context.index));
  await store.close();
  assert.is(statSync(context.index).mode & 0o777, 0o600);
});

test('a repeated list reads no file again', async (context) => {
  const store = await context.harness.open();
  const first = await store.list(page);
  for (const { id } of context.jobs) writeFileSync(join(context.done, `${id}.json`), '');
  assert.equal(await store.list(page), first);
});

test.run();
