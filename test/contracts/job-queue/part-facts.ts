import * as assert from 'uvu/assert';
import { apply } from '../../../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../../../daemon/jobs/draft.js';
import type { Run } from '../../../daemon/jobs/run.js';
import type { OutputSelection } from '../../../daemon/queue/job-queue.js';
import { viewOfClaim } from '../../../daemon/queue/parts/job-parts.js';
import { isFinal } from '../../../src/shared/states.js';
import { sampleDraft, sampleFile, sampleMedia } from '../../helpers/sample-job.js';
import { waitUntil } from '../../helpers/wait-until.js';
import type { QueueFacts } from './queue-facts.js';

/** Outputs of which each needs something else, so that a job needs less when one has ended. */
function mixedDraft(): JobDraft {
  const names = ['a.mp4', 'b.webm', 'c.ogg'];
  return draftJob({
    accountId: '1',
    request: { input: 'http://localhost/in.mp4', outputs: [] },
    test: false,
    outputs: names.map((name) => ({
      settings: {},
      outputDestination: { destination: `hosted://token/${name}`, url: `http://localhost/${name}` },
    })),
    now: new Date(0),
  });
}

/** Takes the first output that has not ended, one at a time. */
const oneByOne: OutputSelection = {
  accepts: () => true,
  outputsOf({ outputs }) {
    const [first, ...others] = outputs.filter(({ state }) => !isFinal(state));
    return first === undefined || others.length === 0 ? null : [first.id];
  },
};

/** Takes the first output, and no job without it. */
const onlyMp4: OutputSelection = {
  accepts: ({ needsKey }) => needsKey.includes('.mp4'),
  outputsOf: ({ outputs }) => outputs.slice(0, 1).flatMap(({ id, state }) => (isFinal(state) ? [] : [id])),
};

/** Ends the outputs that a run sees as its own. */
async function finishOwn(run: Run): Promise<void> {
  await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
  for (const { id } of run.job.outputs.filter(({ state }) => !isFinal(state))) {
    await run.change({ type: 'output-started', id });
    await run.change({ type: 'output-finished', id, media: sampleMedia, file: sampleFile });
  }
}

const outputStates = (job: { readonly outputs: readonly { readonly state: string }[] } | null) =>
  job?.outputs.map(({ state }) => state);

/** Runs that make only some outputs of a job. */
export const partFacts: QueueFacts = {
  'the outputs of a job are made by several runs, one after the other': async ({ store, queue, fixture }) => {
    const { id } = await store.create(mixedDraft());
    queue.work(fixture.handler, { slots: 3, selection: oneByOne });
    await queue.enqueue(mixedDraft().number(id));
    const tokens = new Set<string | null>();
    for (const seen of [
      ['waiting', 'cancelled', 'cancelled'],
      ['finished', 'waiting', 'cancelled'],
      ['finished', 'finished', 'waiting'],
    ]) {
      const { run, end } = await fixture.next();
      assert.equal([run.job.id, outputStates(run.job)], [id, seen]);
      tokens.add(run.job.claim);
      await end(finishOwn);
    }
    await waitUntil('the last run has ended', () => !queue.isRunning(id));
    const job = await store.get(id);
    assert.equal([job?.state, job?.crashes, job?.claimedOutputs], ['finished', 0, undefined]);
    assert.is(tokens.size, 3);
    assert.equal(
      fixture.record,
      [1, 2, 3].flatMap(() => [`+${id}`, `-${id}`]),
    );
  },

  'the last change of such a run ends the job for the run, and may be repeated': async (context) => {
    const { store, queue, fixture } = context;
    const { id } = await store.create(mixedDraft());
    queue.work(fixture.handler, { slots: 1, selection: oneByOne });
    await queue.enqueue(mixedDraft().number(id));
    const first = await fixture.next();
    const own = first.run.job.outputs[0]?.id ?? 0;
    await first.end(async (run) => {
      await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
      await run.change({ type: 'output-started', id: own });
      const last = { type: 'output-finished', id: own, media: sampleMedia, file: sampleFile } as const;
      const seen = [await run.change(last), await run.change(last)];
      assert.equal(
        seen.map(({ state }) => state),
        ['finished', 'finished'],
      );
    });
    const { run } = await fixture.next();
    assert.equal(outputStates(run.job), ['finished', 'waiting', 'cancelled']);
    const job = await store.get(id);
    assert.is(job?.state, 'processing');
    // An answer that is lost is asked for again, whatever has become of the job.
    if (job !== null) assert.is(viewOfClaim(job, [own]).state, 'finished');
  },

  'an error of such a run fails its outputs, and the others are made': async ({ store, queue, fixture }) => {
    const { id } = await store.create(mixedDraft());
    queue.work(fixture.handler, { slots: 1, selection: oneByOne });
    await queue.enqueue(mixedDraft().number(id));
    await (await fixture.next()).end(async (run) => {
      await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
      throw new Error('the disk is gone');
    });
    for (let count = 0; count < 2; count += 1) await (await fixture.next()).end(finishOwn);
    await waitUntil('the last run has ended', () => !queue.isRunning(id));
    const job = await store.get(id);
    assert.equal([job?.state, outputStates(job)], ['failed', ['failed', 'finished', 'finished']]);
  },

  'what is left of a job comes before jobs that have not begun': async ({ store, queue, fixture }) => {
    const { id } = await store.create(mixedDraft());
    const other = await store.create(sampleDraft());
    await queue.enqueue(mixedDraft().number(id));
    await queue.enqueue(sampleDraft().number(other.id));
    queue.work(fixture.handler, { slots: 1, selection: oneByOne });
    for (const expected of [id, id, id, other.id]) {
      const { run, end } = await fixture.next();
      assert.is(run.job.id, expected);
      await end(finishOwn);
    }
  },

  'a job that waits for some of its outputs is resubmitted with those that failed': async (context) => {
    const { store, queue, fixture } = context;
    const { id } = await store.create(mixedDraft());
    queue.work(fixture.handler, { slots: 1, selection: onlyMp4 });
    await queue.enqueue(mixedDraft().number(id));
    await (await fixture.next()).end(async (run) => {
      await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
      throw new Error('the disk is gone');
    });
    await waitUntil('the run has ended', () => !queue.isRunning(id));
    const job = await store.update(id, (stored) => apply(stored, { type: 'resubmitted' }, new Date(0)));
    assert.equal(outputStates(job), ['waiting', 'waiting', 'waiting']);
    await queue.stop(id, 'resubmitted');
    await queue.enqueue(job);
    await (await fixture.next()).end(finishOwn);
    assert.equal(outputStates(await store.get(id)), ['finished', 'waiting', 'waiting']);
  },

  'a job is put back if the machine takes nothing of it any more': async ({ store, queue, fixture }) => {
    const { id } = await store.create(mixedDraft());
    let isAble = false;
    const selection: OutputSelection = {
      accepts: () => true,
      outputsOf() {
        const taken = isAble ? null : [];
        isAble = true;
        return taken;
      },
    };
    queue.work(fixture.handler, { slots: 1, selection });
    await queue.enqueue(mixedDraft().number(id));
    await (await fixture.next()).end(finishOwn);
    await waitUntil('the run has ended', () => !queue.isRunning(id));
    assert.is((await store.get(id))?.state, 'finished');
  },
};
