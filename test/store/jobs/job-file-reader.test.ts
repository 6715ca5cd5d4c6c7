import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { openJobStore } from '../../../daemon/store/jobs/json-job-store.js';
import { isVencError } from '../../../src/shared/errors.js';
import { realDisk } from '../../../src/shared/util/disk.js';
import { draftFor, making, marking } from '../../contracts/job-store/store-facts.js';
import { type JsonStoreRoom, jsonStoreRoom } from '../../helpers/store-room.js';

interface Context {
  room: JsonStoreRoom;
  store: JobStore;
  job: Job;
  active: string;
  done: string;
}

const test = suite<Context>('the files of jobs');
const cancelled = making({ type: 'cancelled' });

test.before.each(async (context) => {
  context.room = await jsonStoreRoom();
  context.store = await context.room.open();
  context.job = await context.store.create(draftFor());
  const jobs = join(context.room.folder, 'jobs');
  context.active = join(jobs, 'active', `${context.job.id}.json`);
  context.done = join(jobs, 'done', '0', `${context.job.id}.json`);
});

test('a job lies in active until it is final, then in done, and comes back', async (context) => {
  const { store, job, active, done } = context;
  assert.equal([existsSync(active), existsSync(done)], [true, false]);
  await store.update(job.id, cancelled);
  assert.equal([existsSync(active), existsSync(done)], [false, true]);
  await store.update(job.id, making({ type: 'resubmitted' }));
  assert.equal([existsSync(active), existsSync(done)], [true, false]);
});

test('files and folders are for their owner alone', async ({ room, store, job, active, done }) => {
  const mode = (path: string) => statSync(path).mode & 0o777;
  assert.is(mode(active), 0o600);
  await store.update(job.id, cancelled);
  assert.is(mode(done), 0o600);
  assert.is(mode(join(room.folder, 'sequence.json')), 0o600);
  for (const name of ['jobs', 'jobs/active', 'jobs/done', 'jobs/done/0', 'damaged']) {
    assert.is(mode(join(room.folder, name)), 0o700, name);
  }
});

test('what a crash left of a write is deleted at the next start, and strange files are let be', async (context) => {
  const { room } = context;
  const folder = join(room.folder, 'jobs', 'active');
  await room.die('process');
  writeFileSync(join(folder, '.tmp-0123456789ab'), '{"revision":');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await room.open();
  assert.equal(readdirSync(folder).sort(), [`${context.job.id}.json`, 'notes.txt'].sort());
  assert.equal(room.logLines, []);
});

for (const { later, change } of [
  { later: 'done', change: [cancelled] },
  { later: 'active', change: [cancelled, making({ type: 'resubmitted' })] },
] as const) {
  test(`of a job that lies in both places the newer is kept, where that is ${later}`, async (context) => {
    const { room, store, job, active, done } = context;
    let before = readFileSync(active);
    let after = job;
    for (const step of change) {
      before = readFileSync(existsSync(active) ? active : done);
      after = await store.update(job.id, step);
    }
    await store.close();
    writeFileSync(later === 'done' ? active : done, before);
    const reopened = await room.open();
    assert.equal(await reopened.get(job.id), after);
    assert.equal([existsSync(active), existsSync(done)], [later === 'active', later === 'done']);
    assert.is((await reopened.list({ offset: 0, limit: 9 })).total, 1);
  });
}

for (const { when, diesAt } of [
  { when: 'before the name in done was safe', diesAt: 6 },
  { when: 'before the file in active was removed', diesAt: 7 },
]) {
  test(`a job whose process died ${when} is whole, wherever the machine dies at the next start`, async () => {
    for (let step = 0, isThrough = false; !isThrough; step += 1) {
      const room = await jsonStoreRoom();
      const store = await room.open();
      const { id } = await store.create(draftFor());
      room.faults.dieAt(diesAt, 'process');
      await store.update(id, cancelled).catch(() => undefined);
      await room.die('process');
      const names = ['active', 'done/0'].map((name) => join(room.folder, 'jobs', name, `${id}.json`));
      assert.equal(names.map(existsSync), [true, true]);

      room.faults.dieAt(step, 'machine');
      await room.open().catch(() => undefined);
      isThrough = !room.faults.hasStruck;
      await room.die('machine');
      const job = await (await room.open()).get(id);
      assert.ok(job?.state === 'waiting' || job?.state === 'cancelled', `step ${step}`);
      assert.is(names.filter(existsSync).length, 1);
    }
  });
}

test('a write for which there is no room leaves nothing behind', async ({ room, store, job }) => {
  for (const step of [1, 2, 3]) {
    room.faults.noRoomAt(step);
    await store.create(draftFor()).catch(() => undefined);
    assert.ok(room.faults.hasStruck);
    assert.equal(readdirSync(join(room.folder, 'jobs', 'active')), [`${job.id}.json`]);
  }
});

test('a file in the wrong place is moved to the right one', async ({ room, store, job, active, done }) => {
  const final = await store.update(job.id, cancelled);
  await room.die('process');
  renameSync(done, active);
  const reopened = await room.open();
  assert.equal(await reopened.get(job.id), final);
  assert.equal(await reopened.active(), []);
  assert.equal([existsSync(active), existsSync(done)], [false, true]);
});

test('an update takes one file and its name, whatever else there is', async ({ room, store, job }) => {
  for (let count = 0; count < 20; count += 1) await store.create(draftFor());
  // create, write, fsync, rename, fsync of the folder: the sixth step would be one too many.
  room.faults.dieAt(5, 'process');
  await store.update(job.id, marking('a'));
  assert.not.ok(room.faults.hasStruck);
});

for (const { code, errorClass } of [
  { code: 'EROFS', errorClass: 'UsageError' },
  { code: 'EACCES', errorClass: 'UsageError' },
  { code: 'ENOSPC', errorClass: 'OutOfSpaceError' },
] as const) {
  test(`a data folder that answers ${code} cannot be opened: ${errorClass}`, async ({ room }) => {
    const disk = {
      ...realDisk,
      makeFolder: () => Promise.reject(Object.assign(new Error('no'), { code })),
    };
    const error = await openJobStore(room.folder, { log: () => undefined, disk }).catch(
      (caught: unknown) => caught,
    );
    assert.ok(isVencError(error, errorClass));
    if (errorClass === 'UsageError') assert.ok(error.message.includes(room.folder));
  });
}

test.run();
