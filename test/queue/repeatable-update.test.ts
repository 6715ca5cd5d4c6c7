import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply, applyAsHolder } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import { isUnavailable, repeatableUpdate } from '../../daemon/queue/retry-until-persisted.js';
import { VencError } from '../../src/shared/errors.js';
import { draftFor } from '../contracts/job-store/store-facts.js';

const now = new Date('2026-01-01T00:00:00Z');
const unavailable = () => new VencError('UnavailableError', 'The database is not available.');

/** A store of one job, whose first update fails: before it is stored, or after it, when only the answer is lost. */
function failingStore(failsAfterStoring: boolean) {
  let job: Job = apply(draftFor().number(1), { type: 'claimed', token: 'token' }, now);
  let failures = 0;
  return {
    get job() {
      return job;
    },
    async update(_: number, change: (stored: Job) => Job): Promise<Job> {
      const changed = change(job);
      failures += 1;
      if (failures === 1) {
        // As a database returns it: without the identity of its parts.
        if (failsAfterStoring) job = JSON.parse(JSON.stringify(changed)) as Job;
        throw unavailable();
      }
      job = changed;
      return job;
    },
  };
}

for (const failsAfterStoring of [false, true]) {
  const what = failsAfterStoring ? 'was stored although its answer was lost' : 'was not stored';
  test(`an update that ${what} is applied once`, async () => {
    const store = failingStore(failsAfterStoring);
    let count = 0;
    const failure = { errorClass: 'DownloadFailureError', message: 'The file could not be read.' } as const;
    const update = repeatableUpdate(store, 1, (stored) => {
      count += 1;
      return applyAsHolder(stored, 'token', { type: 'input-failed', failure }, now);
    });
    const error = await update().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(isUnavailable(error), String(error));
    const job = await update();
    assert.is(job.input.state, 'failed');
    assert.equal(store.job, job);
    assert.is(count, failsAfterStoring ? 1 : 2);
  });
}

test.run();
