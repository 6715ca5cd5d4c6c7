import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { applying, draftFor, draftWith, type StoreFacts, withClaim } from './store-facts.js';

type ListenerCall = readonly [job: Job, before: Job | null];

/** Collects every change that a listener receives from now on. */
function recordCalls(store: JobStore): { readonly calls: ListenerCall[]; readonly stop: () => void } {
  const calls: ListenerCall[] = [];
  return { calls, stop: store.watch((job, before) => calls.push([job, before])) };
}

/** Notification of changes. */
export const listenerFacts: StoreFacts = {
  async 'a listener is notified of a create and of each update before their promises resolve'({ store }) {
    const { calls } = recordCalls(store);
    const job = await store.create(draftFor());
    assert.equal(calls, [[job, null]]);
    const marked = await store.update(job.id, withClaim('a'));
    const cancelled = await store.update(job.id, applying({ type: 'cancelled' }));
    const back = await store.update(job.id, applying({ type: 'resubmitted' }));
    assert.equal(calls, [
      [job, null],
      [marked, job],
      [cancelled, marked],
      [back, cancelled],
    ]);
  },

  async 'a listener receives the job that the store returns'({ store }) {
    const seen: Promise<boolean>[] = [];
    store.watch((job) => seen.push(store.get(job.id).then((stored) => stored === job)));
    const { id } = await store.create(draftFor());
    await store.update(id, applying({ type: 'cancelled' }));
    assert.equal(await Promise.all(seen), [true, true]);
  },

  async 'changes of one job are reported in order, each with the previous version of the job'({ store }) {
    const jobs = [await store.create(draftFor()), await store.create(draftFor())];
    const { calls } = recordCalls(store);
    const claims = [...'abcdefghijklmnopqrst'];
    await Promise.all(claims.flatMap((claim) => jobs.map(({ id }) => store.update(id, withClaim(claim)))));
    for (const first of jobs) {
      const ofJob = calls.filter(([{ id }]) => id === first.id);
      assert.equal(
        ofJob.map(([{ claim }]) => claim),
        claims,
      );
      ofJob.forEach(([, before], index) => {
        assert.equal(before, ofJob[index - 1]?.[0] ?? first);
      });
    }
  },

  async 'no listener is notified of a change that is not stored'({ store, failures }) {
    const job = await store.create(draftWith({ key: 'k' }));
    const { calls } = recordCalls(store);
    await store.update(job.id, (same) => same);
    await store.create(draftWith({ key: 'k' }));
    const reject = () => {
      throw new Error('rejected');
    };
    await store.update(job.id, reject).catch(() => undefined);
    failures.failWithoutSpaceAt(0);
    await store.update(job.id, withClaim('a')).catch(() => undefined);
    assert.ok(failures.hasTriggered);
    failures.failWithoutSpaceAt(0);
    await store.create(draftFor()).catch(() => undefined);
    assert.ok(failures.hasTriggered);
    assert.equal(calls, []);
  },

  async 'after an update that failed at any step, listeners have received the job that the store shows'({
    createHarness,
  }) {
    for (let step = 0, hasTriggered = true; hasTriggered; step += 1) {
      const harness = await createHarness();
      const store = await harness.open();
      const job = await store.create(draftFor());
      const { calls } = recordCalls(store);
      harness.failures.failWithoutSpaceAt(step);
      await store.update(job.id, applying({ type: 'cancelled' })).catch(() => undefined);
      hasTriggered = harness.failures.hasTriggered;
      assert.equal(calls.at(-1)?.[0] ?? job, await store.get(job.id), `step ${step}`);
      await store.close();
    }
  },

  async 'a listener that throws prevents neither the change nor other notifications'({ store }) {
    store.watch(() => {
      throw new Error('I failed');
    });
    const { calls } = recordCalls(store);
    const job = await store.create(draftFor());
    const marked = await store.update(job.id, withClaim('a'));
    assert.equal(await store.get(job.id), marked);
    assert.is(calls.length, 2);
  },

  async 'a listener that unsubscribed is no longer notified, and others still are'({ store }) {
    const one = recordCalls(store);
    const other = recordCalls(store);
    const job = await store.create(draftFor());
    one.stop();
    await store.update(job.id, withClaim('a'));
    one.stop();
    assert.is(one.calls.length, 1);
    assert.is(other.calls.length, 2);
  },

  async 'a listener may change the job that it is notified of'({ store }) {
    const asked: Promise<Job>[] = [];
    store.watch((job, before) => {
      if (before === null) asked.push(store.update(job.id, withClaim('by the listener')));
    });
    const { id } = await store.create(draftFor());
    await Promise.all(asked);
    assert.is((await store.get(id))?.claim, 'by the listener');
  },
};
