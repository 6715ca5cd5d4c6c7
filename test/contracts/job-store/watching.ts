import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { JobStore } from '../../../daemon/store/job-store.js';
import { draftFor, draftWith, making, marking, type StoreFacts } from './store-facts.js';

type Told = readonly [job: Job, before: Job | null];

/** Everything that a listener is told from now on. */
function listenTo(store: JobStore): { readonly told: Told[]; readonly stop: () => void } {
  const told: Told[] = [];
  return { told, stop: store.watch((job, before) => told.push([job, before])) };
}

/** Who is told of changes. */
export const watching: StoreFacts = {
  async 'a listener is told of a create and of each update, before their promises resolve'({ store }) {
    const { told } = listenTo(store);
    const job = await store.create(draftFor());
    assert.equal(told, [[job, null]]);
    const marked = await store.update(job.id, marking('a'));
    const cancelled = await store.update(job.id, making({ type: 'cancelled' }));
    const back = await store.update(job.id, making({ type: 'resubmitted' }));
    assert.equal(told, [
      [job, null],
      [marked, job],
      [cancelled, marked],
      [back, cancelled],
    ]);
  },

  async 'what a listener is told of is what the store gives'({ store }) {
    const seen: Promise<boolean>[] = [];
    store.watch((job) => seen.push(store.get(job.id).then((kept) => kept === job)));
    const { id } = await store.create(draftFor());
    await store.update(id, making({ type: 'cancelled' }));
    assert.equal(await Promise.all(seen), [true, true]);
  },

  async 'changes of one job are told in their order, each with the job before it'({ store }) {
    const jobs = [await store.create(draftFor()), await store.create(draftFor())];
    const { told } = listenTo(store);
    const letters = [...'abcdefghijklmnopqrst'];
    await Promise.all(letters.flatMap((letter) => jobs.map(({ id }) => store.update(id, marking(letter)))));
    for (const first of jobs) {
      const ofJob = told.filter(([{ id }]) => id === first.id);
      assert.equal(
        ofJob.map(([{ claim }]) => claim),
        letters,
      );
      ofJob.forEach(([, before], index) => {
        assert.equal(before, ofJob[index - 1]?.[0] ?? first);
      });
    }
  },

  async 'nobody is told of what is not kept'({ store, faults }) {
    const job = await store.create(draftWith({ key: 'k' }));
    const { told } = listenTo(store);
    await store.update(job.id, (same) => same);
    await store.create(draftWith({ key: 'k' }));
    const refused = () => {
      throw new Error('refused');
    };
    await store.update(job.id, refused).catch(() => undefined);
    faults.noRoomAt(0);
    await store.update(job.id, marking('a')).catch(() => undefined);
    assert.ok(faults.hasStruck);
    faults.noRoomAt(0);
    await store.create(draftFor()).catch(() => undefined);
    assert.ok(faults.hasStruck);
    assert.equal(told, []);
  },

  async 'after an update that failed at any step, listeners know the job that the store shows'({ harness }) {
    for (let step = 0, hasStruck = true; hasStruck; step += 1) {
      const room = await harness();
      const store = await room.open();
      const job = await store.create(draftFor());
      const { told } = listenTo(store);
      room.faults.noRoomAt(step);
      await store.update(job.id, making({ type: 'cancelled' })).catch(() => undefined);
      hasStruck = room.faults.hasStruck;
      assert.equal(told.at(-1)?.[0] ?? job, await store.get(job.id), `step ${step}`);
      await store.close();
    }
  },

  async 'a listener that throws hinders neither the change nor other listeners'({ store }) {
    store.watch(() => {
      throw new Error('I failed');
    });
    const { told } = listenTo(store);
    const job = await store.create(draftFor());
    const marked = await store.update(job.id, marking('a'));
    assert.equal(await store.get(job.id), marked);
    assert.is(told.length, 2);
  },

  async 'a listener that has had enough is told no more, and others go on'({ store }) {
    const one = listenTo(store);
    const other = listenTo(store);
    const job = await store.create(draftFor());
    one.stop();
    await store.update(job.id, marking('a'));
    one.stop();
    assert.is(one.told.length, 1);
    assert.is(other.told.length, 2);
  },

  async 'a listener may change the job that it is told of'({ store }) {
    const asked: Promise<Job>[] = [];
    store.watch((job, before) => {
      if (before === null) asked.push(store.update(job.id, marking('by the listener')));
    });
    const { id } = await store.create(draftFor());
    await Promise.all(asked);
    assert.is((await store.get(id))?.claim, 'by the listener');
  },
};
