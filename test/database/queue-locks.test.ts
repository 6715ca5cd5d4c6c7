import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { openQueueProcess } from '../helpers/postgres-queue-harness.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
const name = 'locks of the queue in a database';

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  test.after(() => server.end());

  test('a job that is taken while it is cancelled blocks neither', async () => {
    const database = await server.createDatabase();
    const processes = await Promise.all([
      openQueueProcess(server, database),
      openQueueProcess(server, database),
    ]);
    const [one, other] = processes;
    try {
      for (let round = 0; round < 20; round += 1) {
        const jobs = await Promise.all(Array.from({ length: 20 }, () => one.store.create(sampleDraft())));
        const [place] = await server.query(database, 'select name from venc.queues');
        const cancels = jobs.map(({ id }) =>
          one.store.update(id, (stored) => ({ ...stored, state: 'cancelled' })),
        );
        const takes = jobs.map(() => other.entries.take(String(place?.name)));
        const ended = await Promise.allSettled([...cancels, ...takes]);
        const errors = ended.flatMap((result) => (result.status === 'rejected' ? String(result.reason) : []));
        assert.equal(errors, [], `round ${round}`);
      }
    } finally {
      for (const process of processes) await process.close();
    }
  });

  test('a job that is given back, or whose lease expires, while it is cancelled blocks neither', async () => {
    const database = await server.createDatabase();
    const processes = await Promise.all([
      openQueueProcess(server, database),
      openQueueProcess(server, database),
    ]);
    const [one, other] = processes;
    try {
      for (let round = 0; round < 10; round += 1) {
        const jobs = await Promise.all(Array.from({ length: 20 }, () => one.store.create(sampleDraft())));
        const [place] = await server.query(database, 'select name from venc.queues');
        const held = [];
        for (const _ of jobs) held.push(await other.entries.take(String(place?.name)));
        await server.query(
          database,
          "update venc.queue_entries set reported_at = now() - interval '1 hour' where job_id % 2 = 0",
        );
        const ended = await Promise.allSettled([
          ...jobs.map(({ id }) => one.store.update(id, (stored) => ({ ...stored, state: 'cancelled' }))),
          ...held.map((attempt) => (attempt === null ? null : other.entries.requeueOwnJob(attempt))),
          one.entries.expire(),
          other.entries.expire(),
        ]);
        const errors = ended.flatMap((result) => (result.status === 'rejected' ? String(result.reason) : []));
        assert.equal(errors, [], `round ${round}`);
        assert.equal(await server.query(database, 'select job_id from venc.queue_entries'), []);
      }
    } finally {
      for (const process of processes) await process.close();
    }
  });

  test.run();
}
