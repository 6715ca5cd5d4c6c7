import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idempotencyTtlMs } from '../../../daemon/store/job-store.js';
import type { CachedFolder } from '../../../daemon/store/jobs/index/index-file.js';
import { JobIndex } from '../../../daemon/store/jobs/index/job-index.js';
import type { IndexEntry } from '../../../daemon/store/jobs/index-entry.js';

const test = suite('the index of jobs in memory');

function entryOf(id: number, options: Partial<IndexEntry> = {}): IndexEntry {
  return {
    id,
    accountId: 'anna',
    state: 'finished',
    endedAtSeconds: 1,
    usage: [],
    hasNotifications: false,
    idempotencyKey: null,
    ...options,
  };
}

/** The folders as they would be written to the index file, none of which is being changed. */
function cachedFolders(index: JobIndex) {
  return [...index.content(() => false, new Set()).folders];
}

/** Whether an index whose file has these rows for a folder takes them. */
function isLoaded(index: JobIndex, name: string, folder: Omit<CachedFolder, 'changedAtNs'>): boolean {
  const { texts } = index.content(() => false, new Set());
  const folders = new Map([[name, { ...folder, changedAtNs: '' }]]);
  return new JobIndex({ texts, folders }).loadFolder(name) !== null;
}

test('a job without pending notifications, or a removed one, is no longer listed for notifications', () => {
  const index = new JobIndex();
  for (const id of [3, 1, 2]) index.put(entryOf(id, { hasNotifications: true }));
  assert.equal(index.listWithNotifications(), [1, 2, 3]);
  index.put(entryOf(2));
  index.delete(1);
  assert.equal(index.listWithNotifications(), [3]);
});

test('only the latest of many old keys are loaded', () => {
  const index = new JobIndex();
  const last = 24 * 100;
  for (let id = 1; id <= last; id += 1) {
    const idempotencyKey = { key: `key ${id}`, createdAtMs: (id * idempotencyTtlMs) / 24 };
    index.load(entryOf(id, { idempotencyKey }));
  }
  const keyed = cachedFolders(index).flatMap(({ keys }) => keys.map(({ id }) => id));
  assert.ok(keyed.length >= 24 && keyed.length <= 48, `${keyed.length}`);
  for (const id of keyed.slice(-24)) assert.is(index.findByIdempotencyKey('anna', `key ${id}`, 0), id);
  assert.is(keyed.at(-1), last);
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

const usageOfMany = [
  { day: '2024-05-06', grouping: null, encodedMs: 2 ** 40 + 7, billableMs: 2 ** 40 + 7 },
  { day: '2024-05-07', grouping: 'g', encodedMs: 5, billableMs: 3 },
] as const;

/** An index of two folders with entries of every kind, one of them of a job that is not final. */
function mixedIndex(): JobIndex {
  const index = new JobIndex();
  const [first, second] = usageOfMany;
  for (const entry of [
    entryOf(1, { usage: [first] }),
    entryOf(4, { usage: [{ ...first, billableMs: 0, grouping: 'h' }], state: 'failed' }),
    entryOf(8, { usage: [second], accountId: 'bert' }),
    entryOf(9, { usage: usageOfMany, hasNotifications: true, endedAtSeconds: 2 ** 32 - 1 }),
    entryOf(12, { state: 'processing', endedAtSeconds: 0 }),
    entryOf(2003, { state: 'cancelled', idempotencyKey: { key: 'k', createdAtMs: 5 } }),
  ])
    index.put(entry);
  return index;
}

test('an index that is loaded from the folders of another has its final jobs', () => {
  const index = mixedIndex();
  const folders = cachedFolders(index).map(
    ({ name, ...folder }) => [name, { ...folder, changedAtNs: '' }] as const,
  );
  const { texts } = index.content(() => false, new Set());
  const loaded = new JobIndex({ texts, folders: new Map(folders) });
  assert.equal(
    folders.map(([name]) => loaded.loadFolder(name)),
    [9, 2003],
  );
  for (const id of [1, 4, 8, 9, 2003]) assert.equal(loaded.get(id), index.get(id));
  assert.is(loaded.get(12), undefined);
  assert.is(loaded.findByIdempotencyKey('anna', 'k', 0), 2003);
  assert.equal(loaded.listWithNotifications(), [9]);
  for (const accountId of ['anna', 'bert']) {
    const filter = { accountId, from: '2024-01-01', to: '2025-01-01' };
    assert.equal(loaded.usage(filter), index.usage(filter));
    assert.ok(loaded.usage(filter).length > 0);
  }
  assert.equal(loaded.page({ offset: 0, limit: 9 }).ids, [2003, 9, 8, 4, 1]);
});

test('rows that belong to another folder, are out of order or refer to unknown texts are rejected', () => {
  const index = mixedIndex();
  const folder = cachedFolders(index).find(({ name }) => name === '0');
  if (folder === undefined) throw new Error('there is no folder 0');
  const { words } = folder;
  for (const [position, value] of [
    [0, 1001],
    [0, 5],
    [1, 2],
    [2, 0],
    [2, 77],
    [4, 9],
    [5, 9],
  ] as const) {
    const changed = words.slice();
    changed[position] = value;
    assert.not.ok(isLoaded(index, '0', { ...folder, words: changed }), `${position}`);
  }
  assert.not.ok(isLoaded(index, '1', folder));
  assert.ok(isLoaded(index, '0', folder));
});

test('a folder that changed or is being changed since its rows were copied is not current', () => {
  const index = mixedIndex();
  const busy = new Set<string>();
  const [first, second, third] = index.content((name) => busy.has(name), new Set(['7'])).folders;
  assert.equal([first?.isCurrent(), second?.isCurrent()], [true, true]);
  index.put(entryOf(3));
  assert.equal([first?.isCurrent(), second?.isCurrent()], [false, true]);
  assert.equal(
    [third?.name, third?.words.length, third?.hasRemoved, second?.hasRemoved],
    ['7', 0, true, false],
  );
  assert.ok(third?.isCurrent());
  index.put(entryOf(7001));
  index.delete(7001);
  assert.not.ok(third?.isCurrent());
  busy.add('2');
  assert.not.ok(second?.isCurrent());
});

test('the jobs that ended first are removable, whatever the order of their ids', () => {
  const index = new JobIndex();
  for (const [id, endedAtSeconds] of [
    [1, 50],
    [2, 30],
    [3, 0],
    [1004, 10],
    [1005, 40],
    [2006, 20],
  ] as const)
    index.put(entryOf(id, { endedAtSeconds }));
  index.put(entryOf(7, { endedAtSeconds: 0, state: 'waiting' }));
  index.put(entryOf(8, { endedAtSeconds: 5, hasNotifications: true }));
  const removable = (endedBeforeSeconds: number | null, maxCount: number | null, limit = 10) => {
    const endedBefore = endedBeforeSeconds === null ? null : new Date(endedBeforeSeconds * 1000);
    return index.listRemovable({ endedBefore, maxCount, limit });
  };
  assert.equal(removable(40, null), [1004, 2006, 2]);
  assert.equal(removable(40, null, 2), [1004, 2006]);
  assert.equal(removable(null, 3), [1004, 2006]);
  assert.equal(removable(null, 3, 1), [1004]);
  assert.equal(removable(15, 4), [1004]);
  assert.equal(removable(25, 4), [1004, 2006]);
  assert.equal(removable(null, 5), []);
  assert.equal(removable(null, null), []);
});

test.run();
