import * as assert from 'uvu/assert';
import { finishAll, sampleDraft, sampleFile, sampleMedia } from '../../helpers/sample-job.js';
import { settleEventLoop } from '../../helpers/wait-until.js';
import type { QueueFacts } from './queue-facts.js';

/** Longer than any test, so that the grace period never expires. */
const endlessMs = 2 ** 40;

/** Closing a queue. */
export const closeFacts: QueueFacts = {
  'a close lets running jobs finish within the grace period and starts no others': async ({
    store,
    queue,
    fixture,
  }) => {
    const running = await store.create(sampleDraft());
    const waiting = await store.create(sampleDraft());
    const late = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(running.id));
    await queue.enqueue(sampleDraft().number(waiting.id));
    const scenario = await fixture.next();
    const closed = queue.close(endlessMs);
    await queue.enqueue(sampleDraft().number(late.id));
    await scenario.end(finishAll);
    await closed;
    assert.not(scenario.run.signal.aborted);
    assert.equal(fixture.record, [`+${running.id}`, `-${running.id}`]);
    assert.is((await store.get(running.id))?.state, 'finished');
    assert.is((await store.get(waiting.id))?.state, 'waiting');
    assert.is((await store.get(late.id))?.state, 'waiting');
  },

  'a job that still runs after the grace period is stopped and requeued, without counting as a crash': async (
    context,
  ) => {
    const { store, queue, fixture } = context;
    const { id, outputs } = await store.create(sampleDraft(2));
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    const [first] = outputs;
    await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
    await run.change({ type: 'output-started', id: first?.id ?? 0 });
    await run.change({ type: 'output-finished', id: first?.id ?? 0, media: sampleMedia, file: sampleFile });
    await queue.close(0);
    assert.is(run.signal.reason, 'draining');
    const job = await store.get(id);
    assert.is(job?.state, 'waiting');
    assert.is(job?.claim, null);
    assert.is(job?.crashes, 0);
    assert.equal(
      job?.outputs.map(({ state }) => state),
      ['finished', 'waiting'],
    );
  },

  'a run that waits for its turn gets no grace period, even if it starts to wait after the close': async ({
    store,
    queue,
    fixture,
  }) => {
    const [early, late] = [await store.create(sampleDraft()), await store.create(sampleDraft())];
    queue.work(fixture.handler, { slots: 2 });
    for (const { id } of [early, late]) await queue.enqueue(sampleDraft().number(id));
    const scenarios = [await fixture.next(), await fixture.next()] as const;
    const never = () => new Promise<never>(() => {});
    void scenarios[0].run.whileWaiting(never());
    const closed = queue.close(endlessMs);
    assert.is(scenarios[0].run.signal.reason, 'draining');
    assert.not(scenarios[1].run.signal.aborted);
    void scenarios[1].run.whileWaiting(never());
    await closed;
    for (const { id } of [early, late]) {
      const job = await store.get(id);
      assert.equal([job?.state, job?.claim, job?.crashes], ['waiting', null, 0]);
    }
  },

  'a run whose wait is over gets the grace period': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run, end } = await fixture.next();
    assert.is(await run.whileWaiting(Promise.resolve('a slot')), 'a slot');
    await run.whileWaiting(Promise.reject(new Error('none'))).catch(() => {});
    const closed = queue.close(endlessMs);
    await end(finishAll);
    await closed;
    assert.is((await store.get(id))?.state, 'finished');
  },

  'a second close ends the grace period at once, and both resolve': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    const closed = queue.close(endlessMs);
    await settleEventLoop(() => store.get(id));
    assert.not(run.signal.aborted);
    await Promise.all([queue.close(endlessMs), closed]);
    assert.is(run.signal.reason, 'draining');
    assert.is((await store.get(id))?.state, 'waiting');
  },

  'a run can be stopped while the queue closes': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    const closed = queue.close(endlessMs);
    await queue.stop(id, 'cancelled');
    await closed;
    assert.is(run.signal.reason, 'cancelled');
  },

  'closing a queue that never started resolves': async ({ store, queue }) => {
    const { id } = await store.create(sampleDraft());
    await queue.enqueue(sampleDraft().number(id));
    await queue.close(endlessMs);
    assert.is((await store.get(id))?.state, 'waiting');
  },

  'a requeued job is run by the next queue': async (context) => {
    const { store, queue, fixture } = context;
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    await fixture.next();
    await queue.close(0);
    const further = await context.openQueue();
    further.work(fixture.handler, { slots: 1 });
    await further.enqueue(sampleDraft().number(id));
    await (await fixture.next()).end(finishAll);
    assert.is((await store.get(id))?.state, 'finished');
  },
};
