import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentJobs } from '../../../daemon/store/jobs/job-cache.js';
import type { JobDocument } from '../../../daemon/store/jobs/job-document.js';
import { draftFor } from '../../contracts/job-store/store-facts.js';

const test = suite('recent jobs');

const documentOf = (id: number): JobDocument => ({ revision: 1, job: draftFor('anna').number(id) });

test('the most recently read jobs are cached, up to the length of their texts', () => {
  const recent = new RecentJobs(20);
  for (let id = 1; id <= 1000; id += 1) {
    recent.add(documentOf(id), id === 1 ? 0 : 4);
    assert.is(recent.get(1)?.job.id, 1, 'a job that is read repeatedly stays');
  }
  assert.equal([...recent.keys()], [1, 1000, 999, 998]);
});

test('the newest version of a job is cached, and nothing once it is deleted', () => {
  const recent = new RecentJobs(6);
  recent.add(documentOf(7), 2);
  recent.add({ ...documentOf(7), revision: 2 }, 3);
  assert.is(recent.get(7)?.revision, 2);
  recent.delete(7);
  assert.is(recent.get(7), undefined);
});

test.run();
