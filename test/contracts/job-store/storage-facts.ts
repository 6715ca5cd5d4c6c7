import * as assert from 'uvu/assert';
import { createNeedOf } from '../../../daemon/app/open-files.js';
import { allOf, applying, draftFor, draftWith, type StoreFacts, withClaim } from './store-facts.js';

/** Storing jobs and assigning ids. */
export const storageFacts: StoreFacts = {
  async 'a job is found by its id, now and after a restart'({ store, open }) {
    const job = await store.create(draftFor('anna', 2));
    assert.equal(await store.get(job.id), job);
    await store.close();
    assert.equal(await (await open()).get(job.id), job);
  },

  async 'a job and its files get consecutive ids, greater than all before'({ store }) {
    const first = await store.create(draftFor('anna', 2));
    const second = await store.create(draftFor());
    const ids = [first.id, first.input.id, ...first.outputs.map(({ id }) => id)];
    assert.equal(
      ids,
      [0, 1, 2, 3].map((offset) => first.id + offset),
    );
    assert.ok(second.id > Math.max(...ids));
  },

  async 'jobs that are created concurrently share no id'({ store }) {
    const jobs = await Promise.all(Array.from({ length: 40 }, () => store.create(draftFor('anna', 3))));
    const ids = jobs.flatMap((job) => [job.id, job.input.id, ...job.outputs.map(({ id }) => id)]);
    assert.is(new Set(ids).size, 40 * 5);
    assert.is((await allOf(store)).length, 40);
  },

  async 'ids keep growing after a restart and after a crash of the machine'({ store, open, crash }) {
    const first = await store.create(draftFor());
    await store.close();
    const second = await (await open()).create(draftFor());
    await crash('machine');
    const third = await (await open()).create(draftFor());
    assert.ok(first.outputs.every(({ id }) => id < second.id));
    assert.ok(second.outputs.every(({ id }) => id < third.id));
  },

  async 'an id that was never assigned finds nothing'({ store }) {
    const job = await store.create(draftFor());
    assert.is(await store.get(job.id + 1), null);
    assert.is(await store.get(job.id + 1_000_000), null);
    assert.is(await store.get(0), null);
  },

  async 'the id of an input or output finds its job in every state, and no other id does'({ store, open }) {
    const first = await store.create(draftFor('anna', 2));
    const second = await store.create(draftFor());
    const cancelled = await store.update(first.id, applying({ type: 'cancelled' }));
    await store.close();
    const again = await open();
    assert.equal(await again.findByFile(first.input.id), cancelled);
    for (const { id } of first.outputs) assert.equal(await again.findByFile(id), cancelled);
    assert.equal(await again.findByFile(second.input.id), second);
    const others = [0, first.id, second.id, second.id + 3, second.id + 1_000_000];
    for (const id of others) assert.is(await again.findByFile(id), null);
  },

  async 'closing waits for pending updates'({ store, open, crash }) {
    const job = await store.create(draftFor());
    const claims = [...'abcdefghijklmnopqrst'];
    const begun = claims.map((claim) => store.update(job.id, withClaim(claim)));
    await store.close();
    await crash('machine');
    await Promise.all(begun);
    assert.is((await (await open()).get(job.id))?.claim, claims.at(-1));
  },

  async 'the hosted files and uploads that jobs need are known until the jobs have ended'({ store, open }) {
    const needOf = createNeedOf(store);
    assert.is(await needOf('film'), null);
    const address = 'https://encode.example.com/venc/hosted/film/a%20b.mp4?download=1';
    const inputs = [address, 'upload://sent/a.mp4', 'https://example.com/films/other/a.mp4'];
    const jobs = await Promise.all(inputs.map((input) => store.create(draftWith({ input }))));
    const tokens = ['film', 'sent', 'token', 'other'];
    assert.equal(await Promise.all(tokens.map(needOf)), ['read', 'read', 'delivered', null]);
    for (const { id } of jobs) await store.update(id, applying({ type: 'cancelled' }));
    await store.close();
    const laterNeedOf = createNeedOf(await open());
    assert.equal(await Promise.all(tokens.map(laterNeedOf)), [null, null, null, null]);
  },

  async 'closing waits for pending creates, including the first one and those under a key'({
    store,
    open,
    crash,
  }) {
    const begun = [undefined, 'k', 'k', undefined].map((key) =>
      store.create(draftWith(key === undefined ? {} : { key })),
    );
    await store.close();
    await crash('machine');
    const ids = (await Promise.all(begun)).map(({ id }) => id);
    const stored = (await allOf(await open())).map(({ id }) => id);
    assert.equal(new Set(stored), new Set(ids));
    assert.is(stored.length, 3);
  },
};
