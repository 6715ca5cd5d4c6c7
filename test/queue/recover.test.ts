import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { recover } from '../../daemon/queue/recover.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { type LocalQueueRoom, localQueueRoom } from '../helpers/queue-room.js';
import { crash, sampleDraft } from '../helpers/sample-job.js';
import { Stage } from '../helpers/stage.js';
import { noRoom, type TransferError, troubled } from '../helpers/troubled-store.js';
import { until } from '../helpers/until.js';

interface Context {
  room: LocalQueueRoom;
  queue: JobQueue;
  stage: Stage;
  trouble: TransferError;
}

const test = suite<Context>('recovery at a start');
const now = () => new Date(1);
const log = () => {};

test.before.each(async (context) => {
  context.trouble = { error: null, isLate: false, count: 0 };
  context.room = await localQueueRoom();
  context.queue = context.room.openQueue();
  context.stage = new Stage();
});
test.after.each(({ room }) => room.close());

/** Leaves a job as a daemon does that is killed while it runs it. */
async function leaveRunning(store: JobStore): Promise<Job> {
  const { id } = await store.create(sampleDraft());
  return store.update(id, (job) => apply(job, { type: 'claimed', token: 'of a daemon that is gone' }, now()));
}

test('a job that was running is back to waiting, and the crash is counted', async ({ room, queue }) => {
  const { id } = await leaveRunning(room.store);
  await recover(room.store, queue, { now, log });
  const job = await room.store.get(id);
  assert.is(job?.state, 'waiting');
  assert.is(job?.crashes, 1);
  assert.is(job?.claim, null);
});

test('a job that was running at its third crash is given up and not queued', async ({
  room,
  queue,
  stage,
}) => {
  const lost = await room.store.create(sampleDraft());
  const other = await room.store.create(sampleDraft());
  await crash(room.store, lost.id, 2);
  await room.store.update(lost.id, (job) => apply(job, { type: 'claimed', token: 'third' }, now()));
  queue.work(stage.handler, { slots: 1 });
  await recover(room.store, queue, { now, log });
  const job = await room.store.get(lost.id);
  assert.is(job?.state, 'failed');
  assert.is(job?.input.fault?.errorClass, 'WorkerLostError');
  assert.is((await stage.next()).run.job.id, other.id);
});

test('everything that waits is queued, oldest first', async ({ room, queue, stage }) => {
  const ids = [];
  for (let count = 0; count < 40; count += 1) {
    const job = count % 3 === 0 ? await leaveRunning(room.store) : await room.store.create(sampleDraft());
    ids.push(job.id);
  }
  await recover(room.store, queue, { now, log });
  queue.work(stage.handler, { slots: 1 });
  for (const id of ids) {
    const scene = await stage.next();
    assert.is(scene.run.job.id, id);
    await scene.end();
  }
});

test('a job that is pending is queued', async ({ room, queue, stage }) => {
  const { id } = await room.store.create({
    idCount: 3,
    number: (firstId) => ({ ...sampleDraft().number(firstId), state: 'pending' }),
  });
  queue.work(stage.handler, { slots: 1 });
  await recover(room.store, queue, { now, log });
  assert.is((await stage.next()).run.job.id, id);
});

test('jobs that wait already are not written, however many they are', async ({ room, queue, trouble }) => {
  const drafts = Array.from({ length: 300 }, () => room.store.create(sampleDraft()));
  await Promise.all(drafts);
  trouble.error = noRoom;
  await recover(troubled(room.store, trouble), queue, { now, log });
  assert.is(trouble.count, 0);
});

test('a job that cannot be written for want of room is taken up when there is some', async (context) => {
  const { room, queue, stage, trouble } = context;
  const left = await leaveRunning(room.store);
  const waiting = await room.store.create(sampleDraft());
  trouble.error = noRoom;
  let goOn = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
    });
  queue.work(stage.handler, { slots: 2 });
  await recover(troubled(room.store, trouble), queue, { now, log, pause });
  assert.is((await stage.next()).run.job.id, waiting.id);
  await until('the second attempt has failed', () => trouble.count === 2);
  trouble.error = null;
  goOn();
  assert.is((await stage.next()).run.job.id, left.id);
});

test('a job that was cancelled before there was room is left alone', async ({ room, queue, trouble }) => {
  const { id } = await leaveRunning(room.store);
  trouble.error = noRoom;
  let goOn = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
    });
  const store = troubled(room.store, trouble);
  await recover(store, queue, { now, log, pause });
  await until('the second attempt has failed', () => trouble.count === 2);
  const cancelled = await room.store.update(id, (job) => apply(job, { type: 'cancelled' }, now()));
  trouble.error = null;
  goOn();
  await store.update(id, (job) => job);
  assert.equal(await room.store.get(id), cancelled);
});

test('the trying ends when it is told to', async ({ room, queue, trouble }) => {
  await leaveRunning(room.store);
  trouble.error = noRoom;
  const stopping = new AbortController();
  const pause = async () => stopping.abort();
  await recover(troubled(room.store, trouble), queue, { now, log, pause, signal: stopping.signal });
  await until('the second attempt has failed', () => stopping.signal.aborted);
  assert.is(trouble.count, 2);
});

test.run();
