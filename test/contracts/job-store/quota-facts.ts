import * as assert from 'uvu/assert';
import { VencError } from '../../../src/shared/errors.js';
import {
  allOf,
  applying,
  draftWith,
  finishUpdates,
  type StoreFacts,
  startUpdates,
  updateAll,
} from './store-facts.js';

const atMost = (limit: number) => ({
  requireRoom(waitingCount: number) {
    if (waitingCount >= limit) throw new VencError('QuotaError', `${waitingCount} of ${limit}`);
  },
});

/** What creates need to know for the limits of accounts. */
export const quotaFacts: StoreFacts = {
  async 'concurrent creates with a limit of waiting jobs do not exceed it'({ store }) {
    const creates = Array.from({ length: 12 }, () =>
      store.create(draftWith({ accountId: 'anna' }), atMost(3)),
    );
    const results = await Promise.allSettled(creates);
    assert.is(results.filter(({ status }) => status === 'fulfilled').length, 3);
    assert.is((await allOf(store)).length, 3);
    await store.create(draftWith({ accountId: 'bert' }), atMost(1));
    const [first] = await allOf(store);
    await store.update(first?.id ?? 0, applying({ type: 'cancelled' }));
    await store.create(draftWith({ accountId: first?.accountId ?? '' }), atMost(3));
  },

  async 'a repeated create under a key is answered at the limit'({ store }) {
    const first = await store.create(draftWith({ accountId: 'anna', key: 'k' }), atMost(1));
    assert.equal(await store.create(draftWith({ accountId: 'anna', key: 'k' }), atMost(1)), first);
  },

  async 'hosted outputs count until they expire or their job is removed'({ store, open }) {
    const now = new Date();
    const finish = async (accountId: string) => {
      const job = await store.create(draftWith({ accountId, now }));
      const [output] = job.outputs;
      await store.update(job.id, (stored) => ({
        ...stored,
        outputs: stored.outputs.map((one) => ({ ...one, destination: 'hosted://token/a.mp4' })),
      }));
      await updateAll(store, job, [...startUpdates, ...finishUpdates(output?.id ?? 0, 5, now)]);
      await store.update(job.id, (stored) => ({
        ...stored,
        outputs: stored.outputs.map((one) => ({ ...one, file: { sizeBytes: 100 } })),
      }));
    };
    const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
    assert.is(await store.hostedBytes('anna', now), 0);
    await finish('anna');
    const bytes = await store.hostedBytes('anna', later(1));
    assert.is(bytes, 100);
    await finish('anna');
    await finish('bert');
    const [last] = (await store.list({ accountId: 'anna', offset: 0, limit: 1 })).jobs;
    assert.is(await store.hostedBytes('anna', later(1)), 2 * bytes);
    assert.is(await store.hostedBytes('anna', later(25)), 0);
    await store.remove(last?.id ?? 0);
    assert.is(await store.hostedBytes('anna', later(1)), bytes);
    assert.is(await (await open()).hostedBytes('anna', later(1)), bytes, 'after a restart');
  },
};
