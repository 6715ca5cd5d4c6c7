import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { recover } from '../../daemon/queue/local/local-queue.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import { outOfSpaceError, type UpdateFailure, withFailingUpdates } from '../helpers/failing-updates.js';
import { HandlerFixture } from '../helpers/handler-fixture.js';
import { createLocalQueueHarness, type LocalQueueHarness } from '../helpers/local-queue-harness.js';
import { crash, sampleDraft } from '../helpers/sample-job.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  harness: LocalQueueHarness;
  queue: JobQueue;
  fixture: HandlerFixture;
  updateFailure: UpdateFailure;
}

const test = suite<Context>('recovery at startup');
const now = () => new Date(1);
const log = () => {};

test.before.each(async (context) => {
  context.updateFailure = { error: null, isLate: false, count: 0 };
  context.harness = await createLocalQueueHarness();
  context.queue = context.harness.openQueue();
  context.fixture = new HandlerFixture();
});
test.after.each(({ harness }) => harness.close());

/** Leaves a job as a daemon does that is killed during its run. */
async function leaveRunning(store: JobStore): Promise<Job> {
  const { id } = await store.create(sampleDraft());
  return store.update(id, (job) => apply(job, { type: 'claimed', token: 'of a daemon that is gone' }, now()));
}

test('a job that was running is waiting again, and the crash is counted', async ({ harness, queue }) => {
  const { id } = await leaveRunning(harness.store);
  await recover(harness.store, queue, { now, log });
  const job = await harness.store.get(id);
  assert.is(job?.state, 'waiting');
  assert.is(job?.crashes, 1);
  assert.is(job?.claim, null);
});

test('a job that was running at its third crash fails and is not queued', async ({
  harness,
  queue,
  fixture,
}) => {
  const lost = await harness.store.create(sampleDraft());
  const other = await harness.store.create(sampleDraft());
  await crash(harness.store, lost.id, 2);
  await harness.store.update(lost.id, (job) => apply(job, { type: 'claimed', token: 'third' }, now()));
  queue.work(fixture.handler, { slots: 1 });
  await recover(harness.store, queue, { now, log });
  const job = await harness.store.get(lost.id);
  assert.is(job?.state, 'failed');
  assert.is(job?.input.failure?.errorClass, 'WorkerLostError');
  assert.is((await fixture.next()).run.job.id, other.id);
});

test('every waiting job is queued, oldest first', async ({ harness, queue, fixture }) => {
  const ids = [];
  for (let count = 0; count < 40; count += 1) {
    const job =
      count % 3 === 0 ? await leaveRunning(harness.store) : await harness.store.create(sampleDraft());
    ids.push(job.id);
  }
  await recover(harness.store, queue, { now, log });
  queue.work(fixture.handler, { slots: 1 });
  for (const id of ids) {
    const scenario = await fixture.next();
    assert.is(scenario.run.job.id, id);
    await scenario.end();
  }
});

test('a pending job is queued', async ({ harness, queue, fixture }) => {
  const { id } = await harness.store.create({
    ...sampleDraft(),
    number: (firstId) => ({ ...sampleDraft().number(firstId), state: 'pending' }),
  });
  queue.work(fixture.handler, { slots: 1 });
  await recover(harness.store, queue, { now, log });
  assert.is((await fixture.next()).run.job.id, id);
});

test('jobs that are already waiting are not written again, however many there are', async ({
  harness,
  queue,
  updateFailure,
}) => {
  const drafts = Array.from({ length: 300 }, () => harness.store.create(sampleDraft()));
  await Promise.all(drafts);
  updateFailure.error = outOfSpaceError;
  await recover(withFailingUpdates(harness.store, updateFailure), queue, { now, log });
  assert.is(updateFailure.count, 0);
});

test('a job that cannot be written for lack of space is recovered once there is space', async (context) => {
  const { harness, queue, fixture, updateFailure } = context;
  const left = await leaveRunning(harness.store);
  const waiting = await harness.store.create(sampleDraft());
  updateFailure.error = outOfSpaceError;
  let goOn = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
    });
  queue.work(fixture.handler, { slots: 2 });
  await recover(withFailingUpdates(harness.store, updateFailure), queue, { now, log, delay: pause });
  assert.is((await fixture.next()).run.job.id, waiting.id);
  await waitUntil('the second attempt has failed', () => updateFailure.count === 2);
  updateFailure.error = null;
  goOn();
  assert.is((await fixture.next()).run.job.id, left.id);
});

test('a job that was cancelled before there was space is not changed', async ({
  harness,
  queue,
  updateFailure,
}) => {
  const { id } = await leaveRunning(harness.store);
  updateFailure.error = outOfSpaceError;
  let goOn = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
    });
  const store = withFailingUpdates(harness.store, updateFailure);
  await recover(store, queue, { now, log, delay: pause });
  await waitUntil('the second attempt has failed', () => updateFailure.count === 2);
  const cancelled = await harness.store.update(id, (job) => apply(job, { type: 'cancelled' }, now()));
  updateFailure.error = null;
  goOn();
  await store.update(id, (job) => job);
  assert.equal(await harness.store.get(id), cancelled);
});

test('the retries end when the signal is aborted', async ({ harness, queue, updateFailure }) => {
  await leaveRunning(harness.store);
  updateFailure.error = outOfSpaceError;
  const stopping = new AbortController();
  const pause = async () => stopping.abort();
  await recover(withFailingUpdates(harness.store, updateFailure), queue, {
    now,
    log,
    delay: pause,
    signal: stopping.signal,
  });
  await waitUntil('the second attempt has failed', () => stopping.signal.aborted);
  assert.is(updateFailure.count, 2);
});

test.run();
