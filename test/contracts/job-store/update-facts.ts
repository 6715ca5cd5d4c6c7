import * as assert from 'uvu/assert';
import { isVencError } from '../../../src/shared/errors.js';
import { allOf, applying, draftFor, type StoreFacts, withClaim } from './store-facts.js';

/** Updating jobs. */
export const updateFacts: StoreFacts = {
  async 'an update resolves to the new job, which is stored'({ store, open }) {
    const { id } = await store.create(draftFor());
    const updated = await store.update(id, withClaim('a'));
    assert.is(updated.claim, 'a');
    assert.equal(await store.get(id), updated);
    await store.close();
    assert.equal(await (await open()).get(id), updated);
  },

  async 'updates of one job run one after the other, each on the result of the previous one'({ store }) {
    const { id } = await store.create(draftFor());
    const claims = [...'abcdefghijklmnopqrst'];
    await Promise.all(
      claims.map((claim) => store.update(id, (job) => ({ ...job, claim: (job.claim ?? '') + claim }))),
    );
    assert.is((await store.get(id))?.claim, claims.join(''));
  },

  async 'updates of different jobs do not affect each other'({ store }) {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => store.create(draftFor())));
    await Promise.all(jobs.map(({ id }) => store.update(id, withClaim(`mark of ${id}`))));
    for (const job of await allOf(store)) assert.is(job.claim, `mark of ${job.id}`);
  },

  async 'a change that throws changes nothing and does not block later updates'({ store }) {
    const job = await store.create(draftFor());
    const error = new Error('rejected');
    const rejected = store.update(job.id, () => {
      throw error;
    });
    const next = store.update(job.id, withClaim('a'));
    assert.is(await rejected.catch((caught: unknown) => caught), error);
    assert.equal(await next, { ...job, claim: 'a' });
  },

  async 'an update that returns the unchanged job writes nothing'({ store, failures }) {
    const job = await store.create(draftFor());
    failures.failWithoutSpaceAt(0);
    assert.is(await store.update(job.id, (same) => same), await store.get(job.id));
    assert.not.ok(failures.hasTriggered);
  },

  async 'an update of an unknown job is rejected'({ store }) {
    const { id } = await store.create(draftFor());
    const error = await store.update(id + 1, withClaim('a')).catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'NotFoundError'));
  },

  async 'a final job can be resubmitted and become final again'({ store, open }) {
    const { id } = await store.create(draftFor());
    await store.update(id, applying({ type: 'cancelled' }));
    assert.equal(await store.active(), []);
    const back = await store.update(id, applying({ type: 'resubmitted' }));
    assert.equal(await store.active(), [back]);
    const again = await store.update(id, applying({ type: 'cancelled' }));
    await store.close();
    const reopened = await open();
    assert.equal(await reopened.get(id), again);
    assert.equal(await reopened.active(), []);
  },
};
