import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import { type FolderJobStore, openJobStore } from '../../../daemon/store/jobs/json-job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import { realDisk } from '../../../src/shared/util/disk.js';
import { applying, draftFor, draftWith, withClaim } from '../../contracts/job-store/store-facts.js';
import { createJsonStoreHarness, type JsonStoreHarness } from '../../helpers/json-store-harness.js';

interface Context {
  harness: JsonStoreHarness;
  store: FolderJobStore;
  job: Job;
  active: string;
  done: string;
}

const test = suite<Context>('the files of jobs');
const cancelled = applying({ type: 'cancelled' });

test.before.each(async (context) => {
  context.harness = await createJsonStoreHarness();
  context.store = await context.harness.open();
  context.job = await context.store.create(draftFor());
  await context.store.writeFiles();
  const jobs = join(context.harness.folder, 'jobs');
  context.active = join(jobs, 'active', `${context.job.id}.json`);
  context.done = join(jobs, 'done', '0', `${context.job.id}.json`);
});

test('a job file is in active until the job is final, then in done, and moves back', async (context) => {
  const { store, job, active, done } = context;
  assert.equal([existsSync(active), existsSync(done)], [true, false]);
  await store.update(job.id, cancelled);
  await store.writeFiles();
  assert.equal([existsSync(active), existsSync(done)], [false, true]);
  await store.update(job.id, applying({ type: 'resubmitted' }));
  await store.writeFiles();
  assert.equal([existsSync(active), existsSync(done)], [true, false]);
});

test('files and folders are accessible only to their owner', async ({
  harness,
  store,
  job,
  active,
  done,
}) => {
  const mode = (path: string) => statSync(path).mode & 0o777;
  assert.is(mode(active), 0o600);
  await store.update(job.id, cancelled);
  assert.is(mode(join(harness.folder, 'jobs', 'journal', '2')), 0o600);
  await store.writeFiles();
  assert.is(mode(done), 0o600);
  assert.is(mode(join(harness.folder, 'sequence.json')), 0o600);
  for (const name of ['jobs', 'jobs/journal', 'jobs/active', 'jobs/done', 'jobs/done/0', 'damaged']) {
    assert.is(mode(join(harness.folder, name)), 0o700, name);
  }
});

test('priority and labels are stored, and a file with others is damaged', async ({ harness, store }) => {
  const draft = draftWith({ queueing: { priority: -3, requires: ['gpu'] } });
  const { id } = await store.create(draft);
  await store.writeFiles();
  await harness.crash('process');
  const reopened = await harness.open();
  const job = await reopened.get(id);
  assert.equal([job?.priority, job?.requires], [-3, ['gpu']]);
  await harness.crash('process');
  const path = join(harness.folder, 'jobs', 'active', `${id}.json`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('["gpu"]', '"gpu"'));
  const damaged = await (await harness.open()).get(id).catch((error: unknown) => error);
  assert.match(String(damaged), `The record of job ${id} is damaged.`);
});

test('temporary files of a crashed write are deleted at the next start, and unknown files are kept', async (context) => {
  const { harness } = context;
  const folder = join(harness.folder, 'jobs', 'active');
  await harness.crash('process');
  writeFileSync(join(folder, '.tmp-0123456789ab'), '{"revision":');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await harness.open();
  assert.equal(readdirSync(folder).sort(), [`${context.job.id}.json`, 'notes.txt'].sort());
  assert.equal(harness.logLines, []);
});

for (const { later, change } of [
  { later: 'done', change: [cancelled] },
  { later: 'active', change: [cancelled, applying({ type: 'resubmitted' })] },
] as const) {
  test(`if a job is in both folders, the newer file is kept, here that in ${later}`, async (context) => {
    const { harness, store, job, active, done } = context;
    let before = readFileSync(active);
    let after = job;
    for (const step of change) {
      before = readFileSync(existsSync(active) ? active : done);
      after = await store.update(job.id, step);
      await store.writeFiles();
    }
    await store.close();
    writeFileSync(later === 'done' ? active : done, before);
    const reopened = await harness.open();
    assert.equal(await reopened.get(job.id), after);
    assert.equal([existsSync(active), existsSync(done)], [later === 'active', later === 'done']);
    assert.is((await reopened.list({ offset: 0, limit: 9 })).total, 1);
  });
}

for (const { when, crashesAt } of [
  { when: 'before the name in done was durable', crashesAt: 6 },
  { when: 'before the file in active was removed', crashesAt: 7 },
]) {
  test(`a job whose process died ${when} is complete, wherever the machine crashes at the next start`, async () => {
    for (let step = 0, isThrough = false; !isThrough; step += 1) {
      const harness = await createJsonStoreHarness();
      const store = await harness.open();
      const { id } = await store.create(draftFor());
      await store.writeFiles();
      await store.update(id, cancelled);
      harness.failures.crashAt(crashesAt, 'process');
      await store.writeFiles().catch(() => undefined);
      await harness.crash('process');
      const names = ['active', 'done/0'].map((name) => join(harness.folder, 'jobs', name, `${id}.json`));
      assert.equal(names.map(existsSync), [true, true]);

      harness.failures.crashAt(step, 'machine');
      await harness.open().catch(() => undefined);
      isThrough = !harness.failures.hasTriggered;
      await harness.crash('machine');
      const job = await (await harness.open()).get(id);
      assert.is(job?.state, 'cancelled', `step ${step}`);
      assert.is(names.filter(existsSync).length, 1);
    }
  });
}

test('a write that fails for lack of space leaves nothing behind', async ({ harness, store, job }) => {
  for (const step of [0, 1, 2, 3]) {
    harness.failures.failWithoutSpaceAt(step);
    await store.create(draftFor()).catch(() => undefined);
    assert.ok(harness.failures.hasTriggered);
    await store.writeFiles();
    assert.equal(readdirSync(join(harness.folder, 'jobs', 'journal')), []);
    assert.equal(readdirSync(join(harness.folder, 'jobs', 'active')), [`${job.id}.json`]);
  }
});

test('a file in the wrong folder is moved to the right one', async ({
  harness,
  store,
  job,
  active,
  done,
}) => {
  const final = await store.update(job.id, cancelled);
  await store.writeFiles();
  await harness.crash('process');
  renameSync(done, active);
  const reopened = await harness.open();
  assert.equal(await reopened.get(job.id), final);
  assert.equal(await reopened.active(), []);
  assert.equal([existsSync(active), existsSync(done)], [false, true]);
});

test('an update writes one line and syncs it, regardless of other jobs', async ({ harness, store, job }) => {
  for (let count = 0; count < 20; count += 1) await store.create(draftFor());
  harness.failures.crashAt(2, 'process');
  await store.update(job.id, withClaim('a'));
  assert.not.ok(harness.failures.hasTriggered);
});

for (const { code, errorClass } of [
  { code: 'EROFS', errorClass: 'UsageError' },
  { code: 'EACCES', errorClass: 'UsageError' },
  { code: 'ENOSPC', errorClass: 'OutOfSpaceError' },
] as const) {
  test(`a data folder that fails with ${code} cannot be opened: ${errorClass}`, async ({ harness }) => {
    const disk = {
      ...realDisk,
      makeFolder: () => Promise.reject(Object.assign(new Error('no'), { code })),
    };
    const error = await openJobStore(harness.folder, { log: () => undefined, disk }).catch(
      (caught: unknown) => caught,
    );
    assert.ok(isVencError(error, errorClass));
    if (errorClass === 'UsageError') assert.ok(error.message.includes(harness.folder));
  });
}

test.run();
