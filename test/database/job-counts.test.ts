import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { mergeJobCounts } from '../../daemon/store/postgres/job-rows.js';
import { draftFor } from '../contracts/job-store/store-facts.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { postgresHarnesses } from '../helpers/postgres-store-harness.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
const name = 'the numbers of jobs in a database';
const jobs = 60;

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const createHarness = await postgresHarnesses(server);
  test.after(() => server.end());

  test('are those of the records while they are added up and changed at once', async () => {
    const harness = await createHarness();
    const store = await harness.open();
    const log = () => undefined;
    const database = await openPostgresDatabase(server.dsn(harness.database), { log });
    const count = async (state?: 'waiting' | 'cancelled') =>
      (await store.list({ offset: 0, limit: 1, ...(state === undefined ? {} : { state }) })).total;
    try {
      const work = Promise.all(
        Array.from({ length: jobs }, async (_, index) => {
          const { id } = await store.create(draftFor());
          if (index % 2 === 0) await store.update(id, (job) => ({ ...job, state: 'cancelled' }));
          if (index % 4 === 0) await store.remove(id);
        }),
      );
      let isRunning = true;
      const ended = work.finally(() => {
        isRunning = false;
      });
      // Two leaders at once, as while one of them is cut off.
      while (isRunning)
        await Promise.all([mergeJobCounts(database.queries), mergeJobCounts(database.queries)]);
      await ended;
      const expected = { all: (jobs * 3) / 4, waiting: jobs / 2, cancelled: jobs / 4 };
      const counts = async () => ({
        ...{ all: await count(), waiting: await count('waiting'), cancelled: await count('cancelled') },
      });
      assert.equal(await counts(), expected);
      await mergeJobCounts(database.queries);
      assert.equal(await counts(), expected);
      const [row] = await server.query(harness.database, 'select count(*)::int as rows from venc.job_counts');
      assert.ok(Number(row?.rows) <= 40, `${row?.rows} rows are left`);
    } finally {
      await database.close();
      await harness.close();
    }
  });

  test.run();
}
