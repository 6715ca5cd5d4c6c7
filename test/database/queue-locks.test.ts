import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { openQueueProcess, type PostgresQueueProcess } from '../helpers/postgres-queue-harness.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
const name = 'locks of the queue in a database';

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  test.after(() => server.end());

  /** Two daemons of one database, and the new jobs of a round in their queue. */
  interface Round {
    readonly one: PostgresQueueProcess;
    readonly other: PostgresQueueProcess;
    readonly database: string;
    readonly jobs: readonly { readonly id: number }[];
    readonly queue: string;
    readonly round: number;
  }

  async function inRounds(count: number, run: (round: Round) => Promise<void>): Promise<void> {
    const database = await server.createDatabase();
    const open = () => openQueueProcess(server, database);
    const [one, other] = await Promise.all([open(), open()]);
    try {
      for (let round = 0; round < count; round += 1) {
        const jobs = await Promise.all(Array.from({ length: 20 }, () => one.store.create(sampleDraft())));
        const [place] = await server.query(database, 'select name from venc.queues');
        await run({ one, other, database, jobs, queue: String(place?.name), round });
      }
    } finally {
      for (const process of [one, other]) await process.close();
    }
  }

  function requireFulfilled(ended: readonly PromiseSettledResult<unknown>[], round: number): void {
    assert.equal(
      ended.flatMap((result) => (result.status === 'rejected' ? String(result.reason) : [])),
      [],
      `round ${round}`,
    );
  }

  test('a job that is taken while it is cancelled blocks neither', async () => {
    await inRounds(20, async ({ one, other, jobs, queue, round }) => {
      const cancels = jobs.map(({ id }) =>
        one.store.update(id, (stored) => ({ ...stored, state: 'cancelled' })),
      );
      const takes = jobs.map(() => other.entries.take(queue));
      const ended = await Promise.allSettled([...cancels, ...takes]);
      requireFulfilled(ended, round);
    });
  });

  test('a job that is given back, or whose lease expires, while it is cancelled blocks neither', async () => {
    await inRounds(10, async ({ one, other, database, jobs, queue, round }) => {
      const held = [];
      for (const _ of jobs) held.push(await other.entries.take(queue));
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
      requireFulfilled(ended, round);
      assert.equal(await server.query(database, 'select job_id from venc.queue_entries'), []);
    });
  });

  test.run();
}
