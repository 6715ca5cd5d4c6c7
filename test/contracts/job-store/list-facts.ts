import * as assert from 'uvu/assert';
import { applying, draftFor, type StoreContext, type StoreFacts } from './store-facts.js';

/** Six jobs, alternately anna's and bert's. The first two are cancelled. Returns their ids in creation order. */
async function sixJobs({ store }: StoreContext): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const accountId of ['anna', 'bert', 'anna', 'bert', 'anna', 'bert']) {
    ids.push((await store.create(draftFor(accountId))).id);
  }
  for (const id of ids.slice(0, 2)) await store.update(id, applying({ type: 'cancelled' }));
  return ids;
}

/** Lists, and the active jobs that a daemon recovers at start. */
export const listFacts: StoreFacts = {
  async 'a list starts with the newest job and counts all matches'(context) {
    const ids = await sixJobs(context);
    const page = await context.store.list({ offset: 1, limit: 3 });
    assert.equal(
      page.jobs.map(({ id }) => id),
      [ids[4], ids[3], ids[2]],
    );
    assert.is(page.total, 6);
  },

  async 'a list beyond the last job is empty and still counts'(context) {
    await sixJobs(context);
    assert.equal(await context.store.list({ offset: 6, limit: 50 }), { jobs: [], total: 6 });
  },

  async 'a list is filtered by account and state, now and after a restart'(context) {
    const ids = await sixJobs(context);
    const filters = [
      { filter: { accountId: 'anna' }, expected: [ids[4], ids[2], ids[0]] },
      { filter: { state: 'cancelled' }, expected: [ids[1], ids[0]] },
      { filter: { accountId: 'bert', state: 'waiting' }, expected: [ids[5], ids[3]] },
      { filter: { accountId: 'carl' }, expected: [] },
      { filter: { state: 'finished' }, expected: [] },
    ] as const;
    for (const restart of [false, true]) {
      if (restart) await context.store.close();
      const store = restart ? await context.open() : context.store;
      for (const { filter, expected } of filters) {
        const page = await store.list({ ...filter, offset: 0, limit: 50 });
        assert.equal(
          page.jobs.map(({ id }) => id),
          [...expected],
        );
        assert.is(page.total, expected.length);
      }
    }
  },

  async 'a list shows the current version of each job'(context) {
    const ids = await sixJobs(context);
    const page = await context.store.list({ offset: 0, limit: 50 });
    for (const job of page.jobs) assert.equal(job, await context.store.get(job.id));
    assert.equal(
      page.jobs.filter(({ state }) => state === 'cancelled').map(({ id }) => id),
      [ids[1], ids[0]],
    );
  },

  async 'the active jobs are those that are not final, oldest first, after a crash of the process too'(
    context,
  ) {
    const ids = await sixJobs(context);
    const expected = ids.slice(2);
    assert.equal(
      (await context.store.active()).map(({ id }) => id),
      expected,
    );
    await context.crash('process');
    const store = await context.open();
    assert.equal(
      (await store.active()).map(({ id }) => id),
      expected,
    );
  },
};
