import { existsSync, readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import { draftFor, making, marking } from '../contracts/job-store/store-facts.js';
import { type JsonStoreRoom, jsonStoreRoom } from '../helpers/store-room.js';

interface Context {
  room: JsonStoreRoom;
  jobs: readonly Job[];
  index: string;
  done: string;
  /** The file of one of the jobs. */
  file: string;
}

const test = suite<Context>('the index of jobs');
const page = { offset: 0, limit: 50 };

/** Three final jobs in a folder that has not changed for long, of a store that was closed in good order. */
test.before.each(async (context) => {
  context.room = await jsonStoreRoom();
  const store = await context.room.open();
  const jobs: Job[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await store.create(draftFor());
    jobs.push(await store.update(id, making({ type: 'cancelled' })));
  }
  context.jobs = jobs;
  context.index = join(context.room.folder, 'jobs', 'index');
  context.done = join(context.room.folder, 'jobs', 'done', '0');
  context.file = join(context.done, `${jobs[1]?.id}.json`);
  utimesSync(context.done, 1000, 1000);
  await store.close();
});

/** Lists all jobs after a start, and whether that start read the files: it then came upon the damaged one. */
async function restart({ room, jobs }: Context): Promise<{ hasRead: boolean; total: number }> {
  const store = await room.open();
  const hasRead = room.logLines.length > 0;
  const { total } = await store.list({ ...page, limit: 0 });
  assert.equal(await store.get(jobs[0]?.id ?? 0), jobs[0]);
  await room.die('process');
  return { hasRead, total };
}

test('a start reads no final job while their folder is as the index knows it', async (context) => {
  writeFileSync(context.file, 'written in place, which the folder does not show');
  assert.equal(await restart(context), { hasRead: false, total: 3 });
});

test('neither does a start after a crash, where no final job changed', async (context) => {
  const store = await context.room.open();
  await store.create(draftFor());
  await context.room.die('process');
  writeFileSync(context.file, 'written in place, which the folder does not show');
  assert.equal(await restart(context), { hasRead: false, total: 4 });
});

test('a start after a crash reads the folders in which something changed since', async (context) => {
  const store = await context.room.open();
  const id = context.jobs[2]?.id ?? 0;
  const changed = await store.update(id, marking('a'));
  await context.room.die('process');
  writeFileSync(context.file, 'written in place');
  assert.equal(await restart(context), { hasRead: true, total: 2 });
  assert.equal(await (await context.room.open()).get(id), changed);
});

for (const { what, spoil } of [
  { what: 'missing', spoil: (path: string) => unlinkSync(path) },
  { what: 'damaged', spoil: (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, -5)) },
  { what: 'of another version', spoil: (path: string) => writeFileSync(path, '{"version":0,"folders":{}}') },
  {
    what: 'of a wrong type inside',
    spoil: (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"cancelled"', '7')),
  },
]) {
  test(`the index is made anew where it is ${what}`, async (context) => {
    spoil(context.index);
    const store = await context.room.open();
    assert.equal(await store.list(page), { jobs: [...context.jobs].reverse(), total: 3 });
    assert.equal(context.room.logLines, []);
  });
}

test('jobs whose files were taken away while the daemon was stopped are not listed', async (context) => {
  unlinkSync(context.file);
  assert.equal(await restart(context), { hasRead: false, total: 2 });
});

test('a folder that changed just before the close is not vouched for', async (context) => {
  const store = await context.room.open();
  await store.update(context.jobs[0]?.id ?? 0, marking('a'));
  await store.close();
  assert.equal(JSON.parse(readFileSync(context.index, 'utf8')).folders, {});
});

test('creates and updates do not touch the index', async (context) => {
  unlinkSync(context.index);
  const store = await context.room.open();
  const { id } = await store.create(draftFor());
  await store.update(id, making({ type: 'cancelled' }));
  assert.not.ok(existsSync(context.index));
  await store.close();
  assert.is(statSync(context.index).mode & 0o777, 0o600);
});

test('a list that is asked for again reads no file again', async (context) => {
  const store = await context.room.open();
  const first = await store.list(page);
  for (const { id } of context.jobs) writeFileSync(join(context.done, `${id}.json`), '');
  assert.equal(await store.list(page), first);
});

test.run();
