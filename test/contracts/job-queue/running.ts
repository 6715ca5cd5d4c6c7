import * as assert from 'uvu/assert';
import { apply } from '../../../daemon/jobs/changes.js';
import { crash, finishAll, sampleDraft } from '../../helpers/sample-job.js';
import { quiet, until } from '../../helpers/until.js';
import type { QueueFacts } from './queue-facts.js';

const now = new Date(0);

/** What runs, when, and beside what. */
export const running: QueueFacts = {
  'an enqueued job is run, and is processing and claimed from then on': async ({ store, queue, stage }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(stage.handler, { slots: 1 });
    await queue.enqueue(id);
    const scene = await stage.next();
    const stored = await store.get(id);
    assert.is(scene.run.job.id, id);
    assert.is(stored?.state, 'processing');
    assert.is(stored?.claim, scene.run.job.claim);
    assert.type(stored?.claim, 'string');
    assert.ok(queue.isRunning(id));
    await scene.end();
    await until('the run has ended', () => !queue.isRunning(id));
    assert.is((await store.get(id))?.state, 'finished');
  },

  'what was enqueued before the work began is run': async ({ store, queue, stage }) => {
    const { id } = await store.create(sampleDraft());
    await queue.enqueue(id);
    queue.work(stage.handler, { slots: 1 });
    assert.is((await stage.next()).run.job.id, id);
  },

  'jobs begin in the order in which they were enqueued': async ({ store, queue, stage }) => {
    const ids = [];
    for (let count = 0; count < 8; count += 1) ids.push((await store.create(sampleDraft())).id);
    const order = [...ids].reverse();
    for (const id of order) await queue.enqueue(id);
    queue.work(stage.handler, { slots: 1 });
    for (const id of order) {
      const scene = await stage.next();
      assert.is(scene.run.job.id, id);
      await scene.end();
    }
  },

  'as many runs go on at once as there are slots, and never more': async ({ store, queue, stage }) => {
    for (let count = 0; count < 9; count += 1) await queue.enqueue((await store.create(sampleDraft())).id);
    queue.work(stage.handler, { slots: 3 });
    for (let round = 0; round < 3; round += 1) {
      const scenes = [await stage.next(), await stage.next(), await stage.next()];
      await Promise.all(scenes.map((scene) => scene.end()));
    }
    assert.is(stage.mostAtOnce, 3);
  },

  'without slots nothing is begun': async ({ store, queue, stage }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(stage.handler, { slots: 0 });
    await queue.enqueue(id);
    await quiet(() => store.get(id));
    assert.equal(stage.record, []);
    assert.is((await store.get(id))?.state, 'waiting');
  },

  'the work can be started only once': async ({ queue, stage }) => {
    queue.work(stage.handler, { slots: 1 });
    assert.throws(() => queue.work(stage.handler, { slots: 1 }), /only once/);
  },

  'a job that is enqueued twice while it waits is run once': async ({ store, queue, stage }) => {
    const twice = await store.create(sampleDraft());
    const after = await store.create(sampleDraft());
    for (const { id } of [twice, twice, after]) await queue.enqueue(id);
    queue.work(stage.handler, { slots: 1 });
    await (await stage.next()).end();
    assert.is((await stage.next()).run.job.id, after.id);
    assert.equal(stage.record, [`+${twice.id}`, `-${twice.id}`, `+${after.id}`]);
  },

  'a job that waits no longer when its turn comes is passed over': async ({ store, queue, stage }) => {
    const cancelled = await store.create(sampleDraft());
    const after = await store.create(sampleDraft());
    await queue.enqueue(cancelled.id);
    await queue.enqueue(after.id);
    await store.update(cancelled.id, (job) => apply(job, { type: 'cancelled' }, now));
    queue.work(stage.handler, { slots: 1 });
    assert.is((await stage.next()).run.job.id, after.id);
    assert.is((await store.get(cancelled.id))?.state, 'cancelled');
  },

  'a job that does not exist holds nobody up': async ({ store, queue, stage }) => {
    const { id } = await store.create(sampleDraft());
    await queue.enqueue(id + 1000);
    await queue.enqueue(id);
    queue.work(stage.handler, { slots: 1 });
    assert.is((await stage.next()).run.job.id, id);
  },

  'progress is in the book while the job is run, and not afterwards': async (context) => {
    const { store, queue, stage, book } = context;
    const { id, input } = await store.create(sampleDraft());
    queue.work(stage.handler, { slots: 1 });
    await queue.enqueue(id);
    const { run, end } = await stage.next();
    run.progress(input.id, { event: 'downloading', percent: 40, overallPercent: 38 });
    assert.is(book.read(id).get(input.id)?.overallPercent, 38);
    await end();
    await until('the run has ended', () => !queue.isRunning(id));
    run.progress(input.id, { event: 'downloading', percent: 41, overallPercent: 39 });
    assert.is(book.read(id).size, 0);
  },

  'a job that crashed twice is run with no other beside it, and nobody overtakes it': async (context) => {
    const { store, queue, stage } = context;
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push((await store.create(sampleDraft())).id);
    const [first = 0, crashed = 0, second = 0, third = 0] = ids;
    await crash(store, crashed, 2);
    for (const id of ids) await queue.enqueue(id);
    queue.work(stage.handler, { slots: 3 });
    for (const id of [first, crashed]) {
      const scene = await stage.next();
      assert.is(scene.run.job.id, id);
      await quiet(() => store.get(crashed));
      await scene.end();
    }
    const last = [await stage.next(), await stage.next()];
    assert.equal(stage.record, [
      `+${first}`,
      `-${first}`,
      `+${crashed}`,
      `-${crashed}`,
      `+${second}`,
      `+${third}`,
    ]);
    await Promise.all(last.map((scene) => scene.end()));
  },

  'a job that crashed once runs beside others': async ({ store, queue, stage }) => {
    const other = await store.create(sampleDraft());
    const crashed = await store.create(sampleDraft());
    await crash(store, crashed.id, 1);
    queue.work(stage.handler, { slots: 2 });
    await queue.enqueue(other.id);
    await queue.enqueue(crashed.id);
    await stage.next();
    assert.is((await stage.next()).run.job.id, crashed.id);
  },

  'a job that held others back and is taken away lets them go': async ({ store, queue, stage }) => {
    const first = await store.create(sampleDraft());
    const crashed = await store.create(sampleDraft());
    const last = await store.create(sampleDraft());
    await crash(store, crashed.id, 2);
    for (const { id } of [first, crashed, last]) await queue.enqueue(id);
    queue.work(stage.handler, { slots: 2 });
    const scene = await stage.next();
    await quiet(() => store.get(crashed.id));
    await store.update(crashed.id, (job) => apply(job, { type: 'cancelled' }, now));
    await queue.stop(crashed.id, 'cancelled');
    assert.is((await stage.next()).run.job.id, last.id);
    await scene.end(finishAll);
  },
};
