import * as assert from 'uvu/assert';
import { apply } from '../../../daemon/jobs/changes.js';
import { recover } from '../../../daemon/queue/local/local-queue.js';
import { isVencError } from '../../../src/shared/errors.js';
import { HandlerFixture } from '../../helpers/handler-fixture.js';
import { finishAll, sampleDraft, sampleFile, sampleMedia } from '../../helpers/sample-job.js';
import { waitUntil } from '../../helpers/wait-until.js';
import type { QueueFacts } from './queue-facts.js';

const now = () => new Date(0);
const log = () => {};

/** Only one run holds the claim of a job. */
export const fencingFacts: QueueFacts = {
  'a run that lost its claim cannot change the job and is aborted': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run } = await fixture.next();
    const lost = await store.update(id, (job) => apply(job, { type: 'lost' }, now()));
    await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile }).then(
      () => assert.unreachable(),
      (error) => assert.ok(isVencError(error, 'ClaimLostError')),
    );
    assert.ok(run.signal.aborted);
    assert.is(run.signal.reason, 'claim-lost');
    await waitUntil('the run has ended', () => !queue.isRunning(id));
    const found = await store.get(id);
    // It may run again by now.
    assert.is.not(found?.claim, run.job.claim);
    assert.equal([found?.crashes, found?.input.media], [lost.crashes, null]);
  },

  'an illegal change is rejected and the run keeps its claim': async ({ store, queue, fixture }) => {
    const { id } = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(id));
    const { run, end } = await fixture.next();
    await run.change({ type: 'output-started', id: id + 1000 }).then(
      () => assert.unreachable(),
      (error) => assert.ok(isVencError(error, 'IllegalChangeError')),
    );
    assert.not(run.signal.aborted);
    await end(finishAll);
    assert.is((await store.get(id))?.state, 'finished');
  },

  'after a crash another queue runs the job again, and the old run cannot change it': async (context) => {
    const { store, queue, fixture } = context;
    const running = await store.create(sampleDraft());
    const waiting = await store.create(sampleDraft());
    queue.work(fixture.handler, { slots: 1 });
    await queue.enqueue(sampleDraft().number(running.id));
    await queue.enqueue(sampleDraft().number(waiting.id));
    const old = await fixture.next();
    const further = await context.openQueue();
    const nextStage = new HandlerFixture();
    further.work(nextStage.handler, { slots: 2 });
    await recover(store, further, { now, log });
    // The job that waits may begin before the one that has crashed.
    const begun = [await nextStage.next(), await nextStage.next()];
    const [again, last] = [running, waiting].map(({ id }) => begun.find(({ run }) => run.job.id === id));
    assert.ok(again !== undefined && last !== undefined, 'both jobs run');
    assert.is(again.run.job.crashes, 1);
    assert.is.not(again.run.job.claim, old.run.job.claim);
    assert.is(last.run.job.crashes, 0);
    const failure = { errorClass: 'NoMediaError', message: 'The file holds no media.' } as const;
    await old.end((run) => run.change({ type: 'input-failed', failure }));
    assert.is(old.run.signal.reason, 'claim-lost');
    assert.is((await store.get(running.id))?.state, 'processing');
    await again.end();
    assert.is((await store.get(running.id))?.state, 'finished');
  },
};
