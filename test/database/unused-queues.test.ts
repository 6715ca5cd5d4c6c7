import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deleteUnusedQueues } from '../../daemon/queue/postgres/postgres-queue.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { openQueueProcess, type PostgresQueueProcess } from '../helpers/postgres-queue-harness.js';
import { sampleDraft } from '../helpers/sample-job.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
const name = 'queues without jobs';

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite<{ database: string; process: PostgresQueueProcess }>(name);
  const server = await startPostgres(found.bin);
  test.before.each(async (context) => {
    context.database = await server.createDatabase();
    context.process = await openQueueProcess(server, context.database);
  });
  test.after.each(({ process }) => process.close());
  test.after(() => server.end());

  const cancelled = async ({ store }: PostgresQueueProcess) => {
    const { id } = await store.create(sampleDraft());
    await store.update(id, (job) => ({ ...job, state: 'cancelled' }));
  };
  const namesOf = async (database: string, table: string) =>
    (await server.query(database, `select name from ${table}`)).map((row) => row.name);

  test('are deleted if they had no jobs the time before either', async ({ database, process }) => {
    await cancelled(process);
    const names = await deleteUnusedQueues(process.entries, []);
    assert.is(names.length, 1);
    const job = await process.store.create(sampleDraft());
    assert.equal(await deleteUnusedQueues(process.entries, names), [], 'it has a job');
    assert.equal(await namesOf(database, 'venc.queues'), names);
    await process.entries.deleteQueue(names[0] ?? '');
    assert.equal(await namesOf(database, 'venc.queues'), names, 'a queue with a job is not deleted');
    await process.store.update(job.id, (stored) => ({ ...stored, state: 'cancelled' }));
    assert.equal(await deleteUnusedQueues(process.entries, []), names);
    assert.equal(await deleteUnusedQueues(process.entries, names), []);
    assert.equal(await namesOf(database, 'venc.queues'), []);
    assert.equal(await namesOf(database, 'venc_queue.queue'), []);
  });

  test('are created again by a process that does not know that they were deleted', async ({
    database,
    process,
  }) => {
    const other = await openQueueProcess(server, database);
    try {
      await cancelled(process);
      await cancelled(other);
      const names = await deleteUnusedQueues(other.entries, []);
      await deleteUnusedQueues(other.entries, names);
      const job = await process.store.create(sampleDraft());
      assert.equal(await namesOf(database, 'venc_queue.job'), names, 'it is in a queue of the engine');
      assert.equal(await namesOf(database, 'venc.queues'), names);
      await process.store.update(job.id, (stored) => ({ ...stored, state: 'cancelled' }));

      // As after a kill between the two deletions.
      await server.query(database, `select venc_queue.delete_queue('${names[0]}')`);
      await process.store.create(sampleDraft());
      assert.equal(
        await namesOf(database, 'venc_queue.job'),
        names,
        'the queue of the engine is there again',
      );
    } finally {
      await other.close();
    }
  });

  test('lose no job while they are deleted and used at once', async ({ database, process }) => {
    const other = await openQueueProcess(server, database);
    try {
      const ids: number[] = [];
      const isDone = Promise.all(
        [process, other].map(async ({ store }) => {
          for (let count = 0; count < 30; count += 1) {
            const { id } = await store.create(sampleDraft());
            if (count % 10 === 9) ids.push(id);
            else await store.update(id, (job) => ({ ...job, state: 'cancelled' }));
            for (const kept of count % 10 === 9 ? [] : ids.splice(0, 1))
              await store.update(kept, (job) => ({ ...job, state: 'cancelled' }));
          }
        }),
      );
      let isRunning = true;
      const ended = isDone.finally(() => {
        isRunning = false;
      });
      while (isRunning) {
        const names = await other.entries.emptyQueues();
        for (const queue of names) await other.entries.deleteQueue(queue);
      }
      await ended;
      const [row] = await server.query(
        database,
        `select count(*)::int as waiting, (select count(*)::int from venc.queue_entries where is_waiting) as entries,
          (select count(*)::int from venc_queue.job where state = 'created') as in_engine
        from venc.jobs where state = 'waiting'`,
      );
      assert.equal(row, { waiting: ids.length, entries: ids.length, in_engine: ids.length });
    } finally {
      await other.close();
    }
  });

  test.run();
}
