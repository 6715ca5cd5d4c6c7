import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentJobs } from '../../../daemon/store/jobs/job-cache.js';
import type { JobDocument } from '../../../daemon/store/jobs/job-document.js';
import { draftFor } from '../../contracts/job-store/store-facts.js';

const test = suite('recent jobs');

const documentOf = (id: number): JobDocument => ({ revision: 1, job: draftFor('anna').number(id) });

/** The cached jobs up to an id. Queries a copy, because a query counts as use. */
const held = (recent: RecentJobs, ids: readonly number[]) => ids.filter((id) => recent.get(id) !== undefined);

test('the most recently read jobs are cached, in total at most twice the limit', () => {
  const recent = new RecentJobs(20);
  for (let id = 1; id <= 1000; id += 1) recent.set(documentOf(id), 2);
  const all = Array.from({ length: 1000 }, (_, index) => index + 1);
  const ids = held(recent, all);
  assert.ok(ids.length >= 10 && ids.length <= 20, `${ids.length}`);
  assert.equal(ids, all.slice(-ids.length));
});

test('a job that is read repeatedly stays cached while others are evicted', () => {
  const recent = new RecentJobs(20);
  const first = documentOf(1);
  recent.set(first, 2);
  for (let id = 2; id <= 200; id += 1) {
    recent.set(documentOf(id), 2);
    assert.is(recent.get(1), first);
  }
});

test('a job counts by the length of its text', () => {
  const recent = new RecentJobs(20);
  for (let id = 1; id <= 100; id += 1) recent.set(documentOf(id), 10);
  assert.ok(
    held(
      recent,
      Array.from({ length: 100 }, (_, index) => index + 1),
    ).length <= 4,
  );
});

test('the newest version of a job is cached, and nothing once it is deleted', () => {
  const recent = new RecentJobs(6);
  for (let revision = 1; revision <= 50; revision += 1) {
    recent.set({ ...documentOf(7), revision }, 2);
    assert.is(recent.get(7)?.revision, revision);
    if (revision % 5 === 0) recent.set(documentOf(100 + revision), 2);
  }
  recent.delete(7);
  assert.is(recent.get(7), undefined);
});

test.run();
