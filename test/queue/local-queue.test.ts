import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { backoff } from '../../daemon/queue/retry-until-persisted.js';
import { VencError } from '../../src/shared/errors.js';
import { type LocalQueueRoom, localQueueRoom } from '../helpers/queue-room.js';
import { finishAll, sampleDraft } from '../helpers/sample-job.js';
import { Stage } from '../helpers/stage.js';
import { noRoom, type TransferError, troubled } from '../helpers/troubled-store.js';
import { quiet, until } from '../helpers/until.js';

interface Context {
  room: LocalQueueRoom;
  queue: JobQueue;
  stage: Stage;
  trouble: TransferError;
  /** Ends the pause that the queue makes, which waits for nothing else. */
  goOn: () => void;
  delays: number[];
}

const test = suite<Context>('the local queue over a troubled store');

test.before.each(async (context) => {
  const trouble: TransferError = { error: null, isLate: false, count: 0 };
  context.trouble = trouble;
  context.delays = [];
  context.stage = new Stage();
  context.room = await localQueueRoom((store) => troubled(store, trouble), {
    pause: (delayMs, signal) => {
      context.delays.push(delayMs);
      return new Promise((resolve) => {
        context.goOn = () => {
          signal.removeEventListener('abort', context.goOn);
          resolve();
        };
        signal.addEventListener('abort', context.goOn);
      });
    },
  });
  context.queue = context.room.openQueue();
  context.queue.work(context.stage.handler, { slots: 2 });
});
test.after.each(({ room }) => room.close());

test('a full disk at the claim loses no job: with room again it is run, and those after it', async (context) => {
  const { room, queue, stage, trouble, delays } = context;
  const ids = [(await room.store.create(sampleDraft())).id, (await room.store.create(sampleDraft())).id];
  trouble.error = noRoom;
  for (const id of ids) await queue.enqueue(id);
  await until('the queue pauses', () => delays.length === 1);
  assert.is(trouble.count, 1, 'it asks once and then waits');
  assert.is((await room.store.get(ids[0] ?? 0))?.state, 'waiting');
  trouble.error = null;
  context.goOn();
  assert.is((await stage.next()).run.job.id, ids[0]);
  assert.is((await stage.next()).run.job.id, ids[1]);
});

test('the pauses double up to a limit', async (context) => {
  const { room, queue, stage, trouble, delays } = context;
  trouble.error = noRoom;
  await queue.enqueue((await room.store.create(sampleDraft())).id);
  for (let count = 1; count <= 10; count += 1) {
    await until('the queue pauses', () => delays.length === count);
    if (count === 10) trouble.error = null;
    context.goOn();
  }
  await stage.next();
  assert.equal(delays.slice(0, 3), [backoff.firstMs, 2 * backoff.firstMs, 4 * backoff.firstMs]);
  assert.is(Math.max(...delays), backoff.maxMs);
  assert.is(trouble.count, 10);
});

test('a claim that was kept although the store failed is taken as made', async (context) => {
  const { room, queue, stage, trouble, delays } = context;
  const { id } = await room.store.create(sampleDraft());
  Object.assign(trouble, { error: noRoom, isLate: true });
  await queue.enqueue(id);
  await until('the queue pauses', () => delays.length === 1);
  assert.is((await room.store.get(id))?.state, 'processing');
  trouble.error = null;
  context.goOn();
  const scene = await stage.next();
  await scene.end(finishAll);
  assert.is((await room.store.get(id))?.state, 'finished');
});

test('a job whose claim is being tried can be stopped, and the next one takes its place', async (context) => {
  const { room, queue, stage, trouble, delays } = context;
  const ids = [(await room.store.create(sampleDraft())).id, (await room.store.create(sampleDraft())).id];
  trouble.error = noRoom;
  for (const id of ids) await queue.enqueue(id);
  await until('the queue pauses', () => delays.length === 1);
  assert.not(queue.isRunning(ids[0] ?? 0));
  trouble.error = null;
  await queue.stop(ids[0] ?? 0, 'cancelled');
  assert.is((await stage.next()).run.job.id, ids[1]);
});

test('a close does not wait for room', async ({ room, queue, trouble, delays }) => {
  const { id } = await room.store.create(sampleDraft());
  trouble.error = noRoom;
  await queue.enqueue(id);
  await until('the queue pauses', () => delays.length === 1);
  await queue.close(2 ** 40);
  assert.is((await room.store.get(id))?.state, 'waiting');
});

test('a claim that was kept is given back when the queue closes meanwhile', async (context) => {
  const { room, queue, trouble, delays } = context;
  const { id } = await room.store.create(sampleDraft());
  Object.assign(trouble, { error: noRoom, isLate: true });
  await queue.enqueue(id);
  await until('the queue pauses', () => delays.length === 1);
  trouble.error = null;
  await queue.close(0);
  const job = await room.store.get(id);
  assert.is(job?.state, 'waiting');
  assert.is(job?.crashes, 0);
});

test('a job whose record is damaged is told of and holds nobody up', async ({
  room,
  queue,
  stage,
  trouble,
}) => {
  const ids = [(await room.store.create(sampleDraft())).id, (await room.store.create(sampleDraft())).id];
  trouble.error = new VencError('GoneError', 'The record of the job is damaged.');
  await queue.enqueue(ids[0] ?? 0);
  await until('it was told of', () => room.logLines.some((line) => line.includes('is damaged')));
  trouble.error = null;
  await queue.enqueue(ids[1] ?? 0);
  assert.is((await stage.next()).run.job.id, ids[1]);
});

test('a job that cannot be failed for want of room is failed when there is some', async (context) => {
  const { room, queue, stage, trouble, delays } = context;
  const { id } = await room.store.create(sampleDraft());
  await queue.enqueue(id);
  const { end } = await stage.next();
  trouble.error = noRoom;
  await end(() => Promise.reject(noRoom));
  await until('the queue pauses', () => delays.length === 1);
  assert.ok(queue.isRunning(id));
  trouble.error = null;
  context.goOn();
  await until('the run has ended', () => !queue.isRunning(id));
  const job = await room.store.get(id);
  assert.is(job?.input.fault?.errorClass, 'OutOfSpaceError');
});

test('a close ends also when the jobs cannot be put back, and says so', async ({
  room,
  queue,
  stage,
  trouble,
}) => {
  const { id } = await room.store.create(sampleDraft());
  await queue.enqueue(id);
  await stage.next();
  trouble.error = noRoom;
  await queue.close(0);
  trouble.error = null;
  assert.ok(room.logLines.some((line) => line.startsWith(`error Job ${id} cannot be put back to waiting`)));
});

test('the log tells of a handler that throws, and not of one that was stopped', async ({
  room,
  queue,
  stage,
}) => {
  const ids = [(await room.store.create(sampleDraft())).id, (await room.store.create(sampleDraft())).id];
  for (const id of ids) await queue.enqueue(id);
  const thrown = await stage.next();
  await stage.next();
  await thrown.end(() => Promise.reject(new Error('bang')));
  await queue.stop(ids[1] ?? 0, 'cancelled');
  await quiet(() => room.store.get(ids[0] ?? 0));
  assert.is(room.logLines.length, 1);
  assert.match(room.logLines[0] ?? '', `error The run of job ${ids[0]} ended with an error: Error: bang`);
});

test.run();
