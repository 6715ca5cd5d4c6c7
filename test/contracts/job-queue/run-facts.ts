import * as assert from 'uvu/assert';
import { apply } from '../../../daemon/jobs/changes.js';
import { crash, finishAll, sampleDraft } from '../../helpers/sample-job.js';
import { settleEventLoop, waitUntil } from '../../helpers/wait-until.js';
import type { QueueFacts } from './queue-facts.js';

const now = new Date(0);

/** Which jobs run, in which order, and concurrently with which others. */
export const runFacts: QueueFacts = {
  'an enqueued job runs, and is processing and claimed from then on': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const scenario = await fixture.next();
    const stored = await store.get(id);
    assert.is(scenario.run.job.id, id);
    assert.is(stored?.state, 'processing');
    assert.is(stored?.claim, scenario.run.job.claim);
    assert.type(stored?.claim, 'string');
    assert.ok(queue.isRunning(id));
    await scenario.end();
    await waitUntil('the run has ended', () => !queue.isRunning(id));
    assert.is((await store.get(id))?.state, 'finished');
  },

  'a job that was enqueued before the queue started runs': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    await queue.enqueue(sampleDraft().number(id));
    queue.work(fixture.handler, { slots: 1 });
    assert.is((await fixture.next()).run.job.id, id);
  },

  'jobs start in the order in which they were enqueued': async ({ store, queue, fixture }) => {
    const order: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      const job = await store.create(sampleDraft());
      await queue.enqueue(job);
      order.push(job.id);
    }
    queue.work(fixture.handler, { slots: 1 });
    for (const id of order) {
      const scenario = await fixture.next();
      assert.is(scenario.run.job.id, id);
      await scenario.end();
    }
  },

  'a waiting job with a new priority gets a new place': async ({ store, queue, fixture }) => {
    const ids: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      const job = await store.create(sampleDraft());
      await queue.enqueue(job);
      ids.push(job.id);
    }
    const [first, second, third, fourth] = ids as [number, number, number, number];
    const move = async (id: number, priority: number) =>
      queue.enqueue(await store.update(id, (job) => apply(job, { type: 'prioritized', priority }, now)));
    await move(first, -1);
    await move(third, 11);
    await move(fourth, 12);
    await move(fourth, 5);
    queue.work(fixture.handler, { slots: 1 });
    for (const id of [third, fourth, second, first]) {
      const scenario = await fixture.next();
      assert.is(scenario.run.job.id, id);
      await scenario.end();
    }
  },

  'a paused job leaves the queue, and starts once it is resumed': async ({ store, queue, fixture }) => {
    const [first, second] = [await store.create(sampleDraft()), await store.create(sampleDraft())];
    for (const { id } of [first, second]) await queue.enqueue(await store.update(id, (job) => job));
    const pause = async (id: number, type: 'paused' | 'unpaused') =>
      queue.followPause(await store.update(id, (job) => apply(job, { type }, now)));
    await pause(first.id, 'paused');
    await pause(first.id, 'paused');
    queue.work(fixture.handler, { slots: 1 });
    const other = await fixture.next();
    assert.is(other.run.job.id, second.id);
    await queue.enqueue((await store.get(first.id)) ?? first);
    await other.end();
    await pause(first.id, 'unpaused');
    await pause(first.id, 'unpaused');
    const resumed = await fixture.next();
    assert.is(resumed.run.job.id, first.id);
    await resumed.end();
  },

  'a paused run is stopped and gives its slot to another job': async ({ store, queue, fixture }) => {
    const [first, second] = [await store.create(sampleDraft()), await store.create(sampleDraft())];
    for (const job of [first, second]) await queue.enqueue(job);
    queue.work(fixture.handler, { slots: 1 });
    const paused = await fixture.next();
    const pause = async (type: 'paused' | 'unpaused') =>
      queue.followPause(await store.update(first.id, (job) => apply(job, { type }, now)));
    await pause('paused');
    const other = await fixture.next();
    assert.is(other.run.job.id, second.id);
    assert.equal([paused.freezer.isFrozen, other.freezer.isFrozen], [true, false]);
    assert.is((await store.get(first.id))?.state, 'processing');
    await other.end();
    await pause('unpaused');
    assert.is(paused.freezer.isFrozen, false);
    await paused.end();
    assert.is((await store.get(first.id))?.state, 'finished');
  },

  'as many jobs run at once as there are slots, and never more': async ({ store, queue, fixture }) => {
    for (let count = 0; count < 9; count += 1) await queue.enqueue(await store.create(sampleDraft()));
    queue.work(fixture.handler, { slots: 3 });
    for (let round = 0; round < 3; round += 1) {
      const scenarios = [await fixture.next(), await fixture.next(), await fixture.next()];
      await Promise.all(scenarios.map((scenario) => scenario.end()));
    }
    assert.is(fixture.maxConcurrent, 3);
  },

  'without slots no job starts': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 0 });
    await queue.enqueue(sampleDraft().number(id));
    await settleEventLoop(() => store.get(id));
    assert.equal(fixture.record, []);
    assert.is((await store.get(id))?.state, 'waiting');
  },

  'a queue can be started only once': async ({ queue, fixture }) => {
    queue.work(fixture.handler, { slots: 1 });
    assert.throws(() => queue.work(fixture.handler, { slots: 1 }), /only once/);
  },

  'a job that is enqueued twice while it waits runs once': async ({ store, queue, fixture }) => {
    const twice = await store.create(sampleDraft());
    const after = await store.create(sampleDraft());
    for (const { id } of [twice, twice, after]) await queue.enqueue(sampleDraft().number(id));
    queue.work(fixture.handler, { slots: 1 });
    await (await fixture.next()).end();
    assert.is((await fixture.next()).run.job.id, after.id);
    assert.equal(fixture.record, [`+${twice.id}`, `-${twice.id}`, `+${after.id}`]);
  },

  'a job that is no longer waiting when its turn comes is skipped': async ({ store, queue, fixture }) => {
    const cancelled = await store.create(sampleDraft());
    const after = await store.create(sampleDraft());
    await queue.enqueue(sampleDraft().number(cancelled.id));
    await queue.enqueue(sampleDraft().number(after.id));
    await store.update(cancelled.id, (job) => apply(job, { type: 'cancelled' }, now));
    queue.work(fixture.handler, { slots: 1 });
    assert.is((await fixture.next()).run.job.id, after.id);
    assert.is((await store.get(cancelled.id))?.state, 'cancelled');
  },

  'a job that does not exist does not block the queue': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    await queue.enqueue(sampleDraft().number(id + 1000));
    await queue.enqueue(sampleDraft().number(id));
    queue.work(fixture.handler, { slots: 1 });
    assert.is((await fixture.next()).run.job.id, id);
  },

  'progress is tracked while the job runs, and not afterwards': async (context) => {
    const { store, queue, fixture, progressTracker } = context;
    const { id, input } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run, end } = await fixture.next();
    run.progress(input.id, { event: 'downloading', percent: 40, overallPercent: 38 });
    assert.is(progressTracker.read(id).get(input.id)?.overallPercent, 38);
    await end();
    await waitUntil('the run has ended', () => !queue.isRunning(id));
    run.progress(input.id, { event: 'downloading', percent: 41, overallPercent: 39 });
    assert.is(progressTracker.read(id).size, 0);
  },

  'a job that crashed twice runs exclusively, and no later job overtakes it': async (context) => {
    const { store, queue, fixture } = context;
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push((await store.create(sampleDraft())).id);
    const [first = 0, crashed = 0, second = 0, third = 0] = ids;
    await crash(store, crashed, 2);
    for (const id of ids) await queue.enqueue(sampleDraft().number(id));
    queue.work(fixture.handler, { slots: 3 });
    for (const id of [first, crashed]) {
      const scenario = await fixture.next();
      assert.is(scenario.run.job.id, id);
      await settleEventLoop(() => store.get(crashed));
      await scenario.end();
    }
    const last = [await fixture.next(), await fixture.next()];
    assert.equal(fixture.record, [
      `+${first}`,
      `-${first}`,
      `+${crashed}`,
      `-${crashed}`,
      `+${second}`,
      `+${third}`,
    ]);
    await Promise.all(last.map((scenario) => scenario.end()));
  },

  'a job that crashed once runs concurrently with others': async ({ store, queue, fixture }) => {
    const other = await store.create(sampleDraft());
    const crashed = await store.create(sampleDraft());
    await crash(store, crashed.id, 1);
    queue.work(fixture.handler, { slots: 2 });
    await queue.enqueue(sampleDraft().number(other.id));
    await queue.enqueue(sampleDraft().number(crashed.id));
    await fixture.next();
    assert.is((await fixture.next()).run.job.id, crashed.id);
  },

  'removing a job that blocks others unblocks them': async ({ store, queue, fixture }) => {
    const first = await store.create(sampleDraft());
    const crashed = await store.create(sampleDraft());
    const last = await store.create(sampleDraft());
    await crash(store, crashed.id, 2);
    for (const { id } of [first, crashed, last]) await queue.enqueue(sampleDraft().number(id));
    queue.work(fixture.handler, { slots: 2 });
    const scenario = await fixture.next();
    await settleEventLoop(() => store.get(crashed.id));
    await store.update(crashed.id, (job) => apply(job, { type: 'cancelled' }, now));
    await queue.stop(crashed.id, 'cancelled');
    assert.is((await fixture.next()).run.job.id, last.id);
    await scenario.end(finishAll);
  },
};
