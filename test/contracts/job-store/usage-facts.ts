import * as assert from 'uvu/assert';
import type { Job } from '../../../daemon/jobs/job.js';
import type { AccountDailyUsage, JobStore } from '../../../daemon/store/job-store.js';
import {
  applying,
  type DraftOptions,
  draftWith,
  finishUpdates,
  type StoreFacts,
  startUpdates,
  updateAll,
} from './store-facts.js';

const monday = new Date('2024-05-06T12:00:00.000Z');
const tuesday = new Date('2024-05-07T00:00:00.000Z');
const allDays = { from: '0000-01-01', to: '9999-12-31' };

const annas = (store: JobStore) => store.usage({ accountId: 'anna', ...allDays });

/** The record of a day whose jobs were all billable. */
function record(day: string, grouping: string | null, encodedMs: number): AccountDailyUsage {
  return { day, grouping, encodedMs, billableMs: encodedMs };
}

/** A job whose outputs finish at a given time, each with the given duration. With `isOpen` the last one stays unfinished. */
async function encode(
  store: JobStore,
  options: DraftOptions,
  seconds: readonly (number | null)[],
  { now = monday, isOpen = false } = {},
): Promise<Job> {
  const outputCount = seconds.length + (isOpen ? 1 : 0);
  const job = await store.create(draftWith({ ...options, outputCount }));
  return updateAll(store, job, [
    ...startUpdates,
    ...seconds.flatMap((duration, index) => finishUpdates(job.outputs[index]?.id ?? 0, duration, now)),
  ]);
}

/** The usage records of finished outputs. */
export const usageFacts: StoreFacts = {
  async 'usage is the duration of finished outputs, by day and grouping, now and after a restart'({
    store,
    open,
    crash,
  }) {
    await encode(store, {}, [1.5, 2]);
    await encode(store, { grouping: 'b' }, [4]);
    await encode(store, { grouping: 'a' }, [8]);
    await encode(store, { grouping: 'a' }, [16], { now: tuesday });
    await encode(store, { accountId: 'bert' }, [32]);
    const expected = [
      record('2024-05-06', null, 3500),
      record('2024-05-06', 'a', 8000),
      record('2024-05-06', 'b', 4000),
      record('2024-05-07', 'a', 16000),
    ];
    assert.equal(await annas(store), expected);
    await store.close();
    const reopened = await open();
    assert.equal(await annas(reopened), expected);
    await crash('process');
    assert.equal(await annas(await open()), expected);
  },

  async 'usage is filtered by account and by days, first and last day included'({ store }) {
    for (const day of ['05', '06', '07', '08'])
      await encode(store, {}, [1], { now: new Date(`2024-05-${day}T23:59:59.999Z`) });
    const some = await store.usage({ accountId: 'anna', from: '2024-05-06', to: '2024-05-07' });
    assert.equal(some, [record('2024-05-06', null, 1000), record('2024-05-07', null, 1000)]);
    assert.equal(await store.usage({ accountId: 'bert', ...allDays }), []);
    assert.equal(await store.usage({ accountId: 'anna', from: '2024-05-07', to: '2024-05-06' }), []);
  },

  async 'outputs of test jobs count as encoded but not as billable'({ store, open }) {
    await encode(store, {}, [1]);
    await encode(store, { test: true }, [2]);
    const expected = [{ day: '2024-05-06', grouping: null, encodedMs: 3000, billableMs: 1000 }];
    assert.equal(await annas(store), expected);
    await store.close();
    assert.equal(await annas(await open()), expected);
  },

  async 'durations count in whole milliseconds, and an unknown duration counts as zero'({ store }) {
    await encode(store, {}, [0.0014, 0.0006, 0.0001, null]);
    assert.equal(await annas(store), [record('2024-05-06', null, 2)]);
    await encode(store, { grouping: 'nothing' }, [null]);
    assert.is((await annas(store)).length, 1);
  },

  async 'finished outputs count while the job runs, after a cancel, and only once after a resubmit'({
    store,
    open,
  }) {
    let job = await encode(store, {}, [1, 2], { isOpen: true });
    const usageBefore = [record('2024-05-06', null, 3000)];
    assert.equal(await annas(store), usageBefore);
    for (const type of ['cancelled', 'resubmitted', 'cancelled', 'resubmitted'] as const) {
      job = await store.update(job.id, applying({ type }));
      assert.equal(await annas(store), usageBefore);
    }
    await updateAll(store, job, [...startUpdates, ...finishUpdates(job.id + 4, 4, tuesday)]);
    const all = [...usageBefore, record('2024-05-07', null, 4000)];
    assert.equal(await annas(store), all);
    await store.close();
    assert.equal(await annas(await open()), all);
  },

  async 'an update that fails leaves the usage unchanged'({ store, failures }) {
    const job = await encode(store, {}, [1], { isOpen: true });
    const before = await annas(store);
    const [start, finish] = finishUpdates(job.id + 3, 2).map((change) => [change]);
    await updateAll(store, job, start ?? []);
    failures.failWithoutSpaceAt(0);
    await updateAll(store, job, finish ?? []).catch(() => undefined);
    assert.ok(failures.hasTriggered);
    assert.equal(await annas(store), before);
  },
};
