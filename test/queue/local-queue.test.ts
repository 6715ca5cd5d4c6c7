import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { backoff } from '../../daemon/queue/retry-until-persisted.js';
import { VencError } from '../../src/shared/errors.js';
import { outOfSpaceError, type UpdateFailure, withFailingUpdates } from '../helpers/failing-updates.js';
import { HandlerFixture } from '../helpers/handler-fixture.js';
import { createLocalQueueHarness, type LocalQueueHarness } from '../helpers/local-queue-harness.js';
import { finishAll, finishOutputs, sampleDraft, sampleFile, sampleMedia } from '../helpers/sample-job.js';
import { settleEventLoop, waitUntil } from '../helpers/wait-until.js';

interface Context {
  paused: Set<string>;
  frozen: Set<string>;
  pauseListeners: Set<() => void>;
  harness: LocalQueueHarness;
  queue: JobQueue;
  fixture: HandlerFixture;
  updateFailure: UpdateFailure;
  /** Ends the pause of the queue. */
  goOn: () => void;
  delays: number[];
}

const test = suite<Context>('the local queue with a failing store');

test.before.each(async (context) => {
  const updateFailure: UpdateFailure = { error: null, isLate: false, count: 0 };
  context.updateFailure = updateFailure;
  context.delays = [];
  context.paused = new Set();
  context.frozen = new Set();
  context.pauseListeners = new Set();
  context.fixture = new HandlerFixture();
  context.harness = await createLocalQueueHarness((store) => withFailingUpdates(store, updateFailure), {
    claims: {
      confirm: async () => new AbortController().signal,
      wasCutOffSince: async () => false,
    },
    pauses: {
      holds: (accountId) => context.paused.has('default') || context.paused.has(accountId),
      freezes: (accountId) => context.frozen.has(accountId),
      onChange: (listener) => {
        context.pauseListeners.add(listener);
        return () => void context.pauseListeners.delete(listener);
      },
    },
    delay: (delayMs, signal) => {
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
  context.queue = context.harness.openQueue();
  context.queue.work(context.fixture.handler, { slots: 2 });
});
test.after.each(({ harness }) => harness.close());

test('a full disk at the claim loses no job: once there is space, it and the jobs after it run', async (context) => {
  const { harness, queue, fixture, updateFailure, delays } = context;
  const ids = [
    (await harness.store.create(sampleDraft())).id,
    (await harness.store.create(sampleDraft())).id,
  ];
  updateFailure.error = outOfSpaceError;
  for (const id of ids) await queue.enqueue(sampleDraft().number(id));
  await waitUntil('the queue pauses', () => delays.length === 1);
  assert.is(updateFailure.count, 1, 'it asks once and then waits');
  assert.is((await harness.store.get(ids[0] ?? 0))?.state, 'waiting');
  updateFailure.error = null;
  context.goOn();
  assert.is((await fixture.next()).run.job.id, ids[0]);
  assert.is((await fixture.next()).run.job.id, ids[1]);
});

test('the delays double up to a limit', async (context) => {
  const { harness, queue, fixture, updateFailure, delays } = context;
  updateFailure.error = outOfSpaceError;
  await queue.enqueue(await harness.store.create(sampleDraft()));
  for (let count = 1; count <= 10; count += 1) {
    await waitUntil('the queue pauses', () => delays.length === count);
    if (count === 10) updateFailure.error = null;
    context.goOn();
  }
  await fixture.next();
  assert.equal(delays.slice(0, 3), [backoff.firstMs, 2 * backoff.firstMs, 4 * backoff.firstMs]);
  assert.is(Math.max(...delays), backoff.maxMs);
  assert.is(updateFailure.count, 10);
});

test('a claim that was stored although the store reported an error is valid', async (context) => {
  const { harness, queue, fixture, updateFailure, delays } = context;
  const { id } = await harness.store.create(sampleDraft());
  Object.assign(updateFailure, { error: outOfSpaceError, isLate: true });
  await queue.enqueue(sampleDraft().number(id));
  await waitUntil('the queue pauses', () => delays.length === 1);
  assert.is((await harness.store.get(id))?.state, 'processing');
  updateFailure.error = null;
  context.goOn();
  const scenario = await fixture.next();
  await scenario.end(finishAll);
  assert.is((await harness.store.get(id))?.state, 'finished');
});

test('a job whose claim is being retried can be stopped, and the next one takes its slot', async (context) => {
  const { harness, queue, fixture, updateFailure, delays } = context;
  const ids = [
    (await harness.store.create(sampleDraft())).id,
    (await harness.store.create(sampleDraft())).id,
  ];
  updateFailure.error = outOfSpaceError;
  for (const id of ids) await queue.enqueue(sampleDraft().number(id));
  await waitUntil('the queue pauses', () => delays.length === 1);
  assert.not(queue.isRunning(ids[0] ?? 0));
  updateFailure.error = null;
  await queue.stop(ids[0] ?? 0, 'cancelled');
  assert.is((await fixture.next()).run.job.id, ids[1]);
});

test('close does not wait for disk space', async ({ harness, queue, updateFailure, delays }) => {
  const { id } = await harness.store.create(sampleDraft());
  updateFailure.error = outOfSpaceError;
  await queue.enqueue(sampleDraft().number(id));
  await waitUntil('the queue pauses', () => delays.length === 1);
  await queue.close(2 ** 40);
  assert.is((await harness.store.get(id))?.state, 'waiting');
});

test('a stored claim is released if the queue closes meanwhile', async (context) => {
  const { harness, queue, updateFailure, delays } = context;
  const { id } = await harness.store.create(sampleDraft());
  Object.assign(updateFailure, { error: outOfSpaceError, isLate: true });
  await queue.enqueue(sampleDraft().number(id));
  await waitUntil('the queue pauses', () => delays.length === 1);
  updateFailure.error = null;
  await queue.close(0);
  const job = await harness.store.get(id);
  assert.is(job?.state, 'waiting');
  assert.is(job?.crashes, 0);
});

test('a job with a damaged record is logged and blocks no other job', async ({
  harness,
  queue,
  fixture,
  updateFailure,
}) => {
  const ids = [
    (await harness.store.create(sampleDraft())).id,
    (await harness.store.create(sampleDraft())).id,
  ];
  updateFailure.error = new VencError('GoneError', 'The record of the job is damaged.');
  await queue.enqueue(sampleDraft().number(ids[0] ?? 0));
  await waitUntil('the error was logged', () => harness.logLines.some((line) => line.includes('is damaged')));
  updateFailure.error = null;
  await queue.enqueue(sampleDraft().number(ids[1] ?? 0));
  assert.is((await fixture.next()).run.job.id, ids[1]);
});

for (const isLate of [false, true]) {
  test(`a change that ${isLate ? 'was stored without an answer' : 'could not be stored'} while the database was away is stored once`, async (context) => {
    const { harness, queue, fixture, updateFailure, delays } = context;
    const { id } = await harness.store.create(sampleDraft());
    await queue.enqueue(sampleDraft().number(id));
    const { run, end } = await fixture.next();
    const error = new VencError('UnavailableError', 'The database is not available.');
    Object.assign(updateFailure, { error, isLate });
    const changing = run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
    await waitUntil('the run pauses', () => delays.length === 1);
    assert.not(run.signal.aborted);
    updateFailure.error = null;
    context.goOn();
    assert.is((await changing).input.state, 'finished');
    await end((one) => finishOutputs(one));
    assert.is((await harness.store.get(id))?.state, 'finished');
  });
}

test('a job that cannot be marked as failed for lack of space is marked once there is space', async (context) => {
  const { harness, queue, fixture, updateFailure, delays } = context;
  const { id } = await harness.store.create(sampleDraft());
  await queue.enqueue(sampleDraft().number(id));
  const { end } = await fixture.next();
  updateFailure.error = outOfSpaceError;
  await end(() => Promise.reject(outOfSpaceError));
  await waitUntil('the queue pauses', () => delays.length === 1);
  assert.ok(queue.isRunning(id));
  updateFailure.error = null;
  context.goOn();
  await waitUntil('the run has ended', () => !queue.isRunning(id));
  const job = await harness.store.get(id);
  assert.is(job?.input.failure?.errorClass, 'OutOfSpaceError');
});

test('close also ends if the jobs cannot be requeued, and logs that', async ({
  harness,
  queue,
  fixture,
  updateFailure,
}) => {
  const { id } = await harness.store.create(sampleDraft());
  await queue.enqueue(sampleDraft().number(id));
  await fixture.next();
  updateFailure.error = outOfSpaceError;
  await queue.close(0);
  updateFailure.error = null;
  assert.ok(
    harness.logLines.some((line) => line.startsWith(`error Job ${id} cannot be put back to waiting`)),
  );
});

test('the log reports a handler that throws, but not one that was stopped', async ({
  harness,
  queue,
  fixture,
}) => {
  const ids = [
    (await harness.store.create(sampleDraft())).id,
    (await harness.store.create(sampleDraft())).id,
  ];
  for (const id of ids) await queue.enqueue(sampleDraft().number(id));
  const thrown = await fixture.next();
  await fixture.next();
  await thrown.end(() => Promise.reject(new Error('bang')));
  await queue.stop(ids[1] ?? 0, 'cancelled');
  await settleEventLoop(() => harness.store.get(ids[0] ?? 0));
  assert.is(harness.logLines.length, 1);
  assert.match(harness.logLines[0] ?? '', `error The run of job ${ids[0]} ended with an error: Error: bang`);
});

test('a paused account starts no job, and the jobs of others run', async ({
  harness,
  queue,
  fixture,
  paused,
}) => {
  paused.add('studio');
  const held = await harness.store.create(sampleDraft(1, 'studio'));
  const other = await harness.store.create(sampleDraft(1, 'other'));
  await queue.enqueue(held);
  await queue.enqueue(other);
  const { run } = await fixture.next();
  assert.is(run.job.id, other.id);
  paused.delete('studio');
  queue.startRuns();
  assert.is((await fixture.next()).run.job.id, held.id);
});

test('a pause that freezes stops the programs of the running jobs of its account', async (context) => {
  const { harness, queue, fixture, frozen, pauseListeners } = context;
  const runs: Awaited<ReturnType<HandlerFixture['next']>>[] = [];
  const listeners = pauseListeners.size;
  for (const account of ['studio', 'other']) {
    const job = await harness.store.create(sampleDraft(1, account));
    await queue.enqueue(job);
    runs.push(await fixture.next());
  }
  const areFrozen = () => runs.map(({ freezer }) => freezer.isFrozen);
  assert.equal(areFrozen(), [false, false]);
  frozen.add('studio');
  for (const listener of pauseListeners) listener();
  assert.equal(areFrozen(), [true, false]);
  frozen.clear();
  for (const listener of pauseListeners) listener();
  assert.equal(areFrozen(), [false, false]);
  frozen.add('studio');
  for (const listener of pauseListeners) listener();
  await runs[1]?.end();
  await queue.close(600_000);
  assert.is(pauseListeners.size, listeners, 'ended runs do not listen');
  assert.match(String(fixture.record), /-1/, 'a run that is frozen gets no time to finish');
});

test('while the daemon is paused no job starts, also for a worker that waits', async (context) => {
  const { harness, queue, fixture, paused } = context;
  paused.add('default');
  const worker = { worker: 'box', handler: fixture.handler, accepts: () => true, outputsOf: () => null };
  const ended = new AbortController();
  const offered = queue.offer(worker, ended.signal);
  const job = await harness.store.create(sampleDraft());
  await queue.enqueue(job);
  await settleEventLoop(async () => {});
  assert.is((await harness.store.get(job.id))?.state, 'waiting');
  ended.abort();
  assert.is(await offered, false);
  paused.clear();
  queue.startRuns();
  assert.is((await fixture.next()).run.job.id, job.id);
});

test.run();
