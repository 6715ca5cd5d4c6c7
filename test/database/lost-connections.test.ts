import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { PostgresJobStore } from '../../daemon/store/postgres/jobs.js';
import { isVencError } from '../../src/shared/errors.js';
import { allOf, applying, draftWith, withClaim } from '../contracts/job-store/store-facts.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { postgresHarnesses } from '../helpers/postgres-store-harness.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'a connection that is lost at any statement';

/** Operations that can be repeated. */
const operations: Readonly<Record<string, (store: PostgresJobStore, prepared: Job) => Promise<Job>>> = {
  'a create under a key': (store) => store.create(draftWith({ key: 'k', outputCount: 2 })),
  'an update': (store, { id }) => store.update(id, withClaim('a')),
};

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const createHarness = await postgresHarnesses(server);
  test.after(async () => {
    await (await createHarness()).close();
    await server.end();
  });

  for (const [operation, run] of Object.entries(operations)) {
    test(`${operation} is stored once or not at all, can be repeated in the same store, and is reported`, async () => {
      for (let step = 0, hasTriggered = true; hasTriggered; step += 1) {
        const harness = await createHarness();
        const store = await harness.open();
        const prepared = await store.create(draftWith({ accountId: 'bert' }));
        const reported = new Map<number, Job>();
        store.watch((job) => reported.set(job.id, job));
        harness.failures.loseConnectionAt(step);
        const outcome = await run(store, prepared).catch((error: unknown) => error);
        hasTriggered = harness.failures.hasTriggered;
        harness.failures.reset();
        if (outcome instanceof Error) {
          assert.ok(isVencError(outcome, 'UnavailableError'), `step ${step}: ${String(outcome)}`);
          assert.ok(outcome.retryAfterSeconds !== null);
        }
        // A change that was stored although its confirmation was lost is reported as well.
        const stored = (await allOf(store)).filter((job) => job.id !== prepared.id || job.claim !== null);
        for (const job of stored)
          await waitUntil('the stored change is reported', () => reported.get(job.id) !== undefined);
        for (const [id, job] of reported) assert.equal(await store.get(id), job, `step ${step}`);

        const repeated = await run(store, prepared);
        const jobs = await allOf(store);
        assert.equal(
          jobs.filter(({ id }) => id === repeated.id),
          [repeated],
        );
        assert.is(jobs.length, repeated.id === prepared.id ? 1 : 2, `step ${step}`);
        if (stored.length > 0) assert.is(stored[0]?.id, repeated.id);
        const cancelled = await store.update(repeated.id, applying({ type: 'cancelled' }));
        assert.equal(await store.remove(repeated.id), cancelled);
      }
    });
  }

  test.run();
}
