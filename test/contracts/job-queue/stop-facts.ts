import * as assert from 'uvu/assert';
import { apply } from '../../../daemon/jobs/changes.js';
import { finishAll, sampleDraft } from '../../helpers/sample-job.js';
import { settleEventLoop, waitUntil } from '../../helpers/wait-until.js';
import type { QueueFacts } from './queue-facts.js';

const now = new Date(0);

/** Stopping one job. */
export const stopFacts: QueueFacts = {
  'a stop resolves when the run has ended, and leaves a cancelled job cancelled': async (context) => {
    const { store, queue, fixture } = context;
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    await store.update(id, (job) => apply(job, { type: 'cancelled' }, now));
    await queue.stop(id, 'cancelled');
    assert.is(run.signal.reason, 'cancelled');
    assert.equal(fixture.record, [`+${id}`, `-${id}`]);
    assert.not(queue.isRunning(id));
    assert.is((await store.get(id))?.state, 'cancelled');
  },

  'a stop waits for a handler that is slow to end': async ({ store, queue }) => {
    const { id } = await store.create(sampleDraft());
    let release = () => {};
    let hasBegun = false;
    let isStopped = false;
    queue.work(
      async () => {
        hasBegun = true;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      { slots: 1 },
    );
    await queue.enqueue(sampleDraft().number(id));
    await waitUntil('the run has begun', () => hasBegun);
    const stopped = queue.stop(id, 'cancelled').then(() => {
      isStopped = true;
    });
    await settleEventLoop(() => store.get(id));
    assert.not(isStopped);
    release();
    await stopped;
    assert.not(queue.isRunning(id));
  },

  'a job that was cancelled and stopped before its run does not run': async ({ store, queue, fixture }) => {
    const stopped = await store.create(sampleDraft());
    const other = await store.create(sampleDraft());
    await queue.enqueue(sampleDraft().number(stopped.id));
    await queue.enqueue(sampleDraft().number(other.id));
    await store.update(stopped.id, (job) => apply(job, { type: 'cancelled' }, now));
    await queue.stop(stopped.id, 'cancelled');
    queue.work(fixture.handler, { slots: 1 });
    assert.is((await fixture.next()).run.job.id, other.id);
    assert.equal(fixture.record, [`+${other.id}`]);
    assert.is((await store.get(stopped.id))?.state, 'cancelled');
  },

  'a stop of an unknown job resolves at once': async ({ queue }) => {
    await queue.stop(4711, 'cancelled');
    assert.not(queue.isRunning(4711));
  },

  'a stop without a change of the job requeues it': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    await queue.stop(id, 'resubmitted');
    await queue.enqueue(sampleDraft().number(id));
    const again = await fixture.next();
    assert.is(again.run.job.id, id);
    assert.is.not(again.run.job.claim, run.job.claim);
    assert.is(again.run.job.crashes, 0);
    assert.equal(fixture.record, [`+${id}`, `-${id}`, `+${id}`]);
  },

  'a resubmitted job is stopped and run again, never twice concurrently': async ({
    store,
    queue,
    fixture,
  }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 3 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    await store.update(id, (job) => apply(job, { type: 'resubmitted' }, now));
    await queue.stop(id, 'resubmitted');
    await queue.enqueue(sampleDraft().number(id));
    const again = await fixture.next();
    assert.is(run.signal.reason, 'resubmitted');
    assert.equal(fixture.record, [`+${id}`, `-${id}`, `+${id}`]);
    await again.end(finishAll);
    assert.is((await store.get(id))?.state, 'finished');
  },

  'a job that is enqueued while it runs is run again if it is waiting afterwards': async (context) => {
    const { store, queue, fixture } = context;
    const { id } = await store.create(sampleDraft());
    const other = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 2 });
    await queue.enqueue(sampleDraft().number(id));
    const old = await fixture.next();
    await store.update(id, (job) => apply(job, { type: 'resubmitted' }, now));
    await queue.enqueue(sampleDraft().number(id));
    await queue.enqueue(sampleDraft().number(other.id));
    assert.is((await fixture.next()).run.job.id, other.id);
    await old.end(finishAll);
    const again = await fixture.next();
    assert.is(again.run.job.id, id);
    await again.end(finishAll);
    assert.is((await store.get(id))?.state, 'finished');
  },

  'a job that is enqueued while it runs and then finishes is not run again': async ({
    store,
    queue,
    fixture,
  }) => {
    const { id } = await store.create(sampleDraft());
    const other = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const scenario = await fixture.next();
    await queue.enqueue(sampleDraft().number(id));
    await queue.enqueue(sampleDraft().number(other.id));
    await scenario.end(finishAll);
    assert.is((await fixture.next()).run.job.id, other.id);
    assert.equal(fixture.record, [`+${id}`, `-${id}`, `+${other.id}`]);
  },
};
