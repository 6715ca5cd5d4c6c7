import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idempotencyTtlMs } from '../../../daemon/store/job-store.js';
import { type IndexEntry, JobIndex } from '../../../daemon/store/jobs/job-index.js';

const test = suite('the index of jobs in memory');

function entryOf(id: number, options: Partial<IndexEntry> = {}): IndexEntry {
  return {
    id,
    accountId: 'anna',
    state: 'finished',
    usage: [],
    hasNotifications: false,
    idempotencyKey: null,
    ...options,
  };
}

test('a job without pending notifications, or a removed one, is no longer listed for notifications', () => {
  const index = new JobIndex([3, 1, 2].map((id) => entryOf(id, { hasNotifications: true })));
  assert.equal(index.listWithNotifications(), [1, 2, 3]);
  index.put(entryOf(2));
  index.delete(1);
  assert.equal(index.listWithNotifications(), [3]);
});

test('only the latest of many old keys are loaded', () => {
  const hours = Array.from({ length: 24 * 100 }, (_, index) => index + 1);
  const index = new JobIndex(
    hours.map((id) =>
      entryOf(id, { idempotencyKey: { key: `key ${id}`, createdAtMs: (id * idempotencyTtlMs) / 24 } }),
    ),
  );
  const keyed = index.all().filter(({ idempotencyKey }) => idempotencyKey !== null);
  assert.ok(keyed.length >= 24 && keyed.length <= 48, `${keyed.length}`);
  for (const { id } of keyed.slice(-24)) assert.is(index.findByIdempotencyKey('anna', `key ${id}`, 0), id);
  assert.is(keyed.at(-1)?.id, hours.length);
});

test('a list knows the total number of matches while jobs are added, changed and removed', () => {
  const index = new JobIndex();
  const total = (filter: { accountId?: string; state?: 'finished' | 'failed' }) =>
    index.page({ ...filter, offset: 0, limit: 0 }).total;
  for (let id = 1; id <= 2000; id += 1) index.put(entryOf(id, { accountId: id % 2 === 0 ? 'anna' : 'bert' }));
  for (let id = 1; id <= 2000; id += 4)
    index.put(entryOf(id, { accountId: id % 2 === 0 ? 'anna' : 'bert', state: 'failed' }));
  for (let id = 2000; id > 1000; id -= 1) index.delete(id);
  index.delete(5000);
  assert.equal(
    [
      total({}),
      total({ accountId: 'anna' }),
      total({ state: 'failed' }),
      total({ accountId: 'bert', state: 'failed' }),
    ],
    [1000, 500, 250, 250],
  );
  assert.is(total({ accountId: 'anna', state: 'failed' }), 0);
});

test.run();
