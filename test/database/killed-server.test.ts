import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { PostgresJobStore } from '../../daemon/store/postgres/jobs.js';
import { isVencError } from '../../src/shared/errors.js';
import { draftFor, draftWith } from '../contracts/job-store/store-facts.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { postgresHarnesses } from '../helpers/postgres-store-harness.js';
import { randomNumbers } from '../helpers/random.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'a database that fails under load';
const { seed, isLong } = suiteOptions();
const writers = 8;
const roundCount = isLong ? 100 : 6;

/** What the writers were promised: the greatest count of each job, and the job of each key. */
interface Promises {
  readonly counts: Map<number, number>;
  readonly keys: Map<string, number>;
}

/** Creates and updates jobs until it is stopped. Records only what was acknowledged; repeats a create under its key until it is. */
async function write(
  store: PostgresJobStore,
  { counts, keys }: Promises,
  { writer, isStopped }: { readonly writer: string; readonly isStopped: () => boolean },
): Promise<number> {
  let rejected = 0;
  const attempt = async <T>(action: () => Promise<T>): Promise<T | null> => {
    try {
      return await action();
    } catch (error) {
      assert.ok(isVencError(error, 'UnavailableError'), String(error));
      rejected += 1;
      // A refused connection fails at once: leaves the CPU to the server that starts.
      await pause(20);
      return null;
    }
  };
  for (let step = 0; !isStopped(); step += 1) {
    const key = `${writer}-${step}`;
    let job: Job | null = null;
    while (job === null && !isStopped())
      job = await attempt(() => store.create(draftWith({ key, outputCount: 2 })));
    if (job === null) break;
    keys.set(key, job.id);
    const { id } = job;
    for (let count = 1; count <= 3 && !isStopped(); count += 1) {
      const updated = await attempt(() => store.update(id, (one) => ({ ...one, crashes: one.crashes + 1 })));
      if (updated !== null) counts.set(id, updated.crashes);
    }
  }
  return rejected;
}

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const createHarness = await postgresHarnesses(server);
  test.after(async () => {
    await (await createHarness()).close();
    await server.end();
  });

  test('acknowledged changes survive, nothing is stored twice or in part, and ids are unique', async () => {
    const random = randomNumbers(seed);
    const harness = await createHarness();
    const stores = [await harness.open(), await harness.open()] as const;
    const promises: Promises = { counts: new Map(), keys: new Map() };
    let rejected = 0;
    for (let round = 0; round < roundCount; round += 1) {
      let isOver = false;
      const before = promises.keys.size;
      const running = Array.from({ length: writers }, (_, index) =>
        write(stores[index % 2 === 0 ? 0 : 1], promises, {
          writer: `${round}-${index}`,
          isStopped: () => isOver,
        }),
      );
      const enough = before + writers + Math.floor(random() * 20);
      await waitUntil('the load runs', () => promises.keys.size >= enough);
      if (round % 2 === 0) {
        await server.kill();
        await server.restart();
      } else
        await server.query(
          'postgres',
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${harness.database}'`,
        );
      const later = promises.keys.size + writers;
      await waitUntil('the stores work again', () => promises.keys.size >= later);
      isOver = true;
      for (const count of await Promise.all(running)) rejected += count;
    }

    const rows = await server.query(harness.database, 'select document from venc.jobs order by id');
    const jobs = rows.map(({ document }) => document as Job);
    const byId = new Map(jobs.map((job) => [job.id, job]));
    for (const [id, count] of promises.counts) assert.ok((byId.get(id)?.crashes ?? -1) >= count, `job ${id}`);
    for (const [key, id] of promises.keys) assert.is(byId.get(id)?.idempotency?.key, key);
    const keys = jobs.map(({ idempotency }) => idempotency?.key);
    assert.is(new Set(keys).size, jobs.length, 'no key has two jobs');
    const ids = jobs.flatMap((job) => [job.id, job.input.id, ...job.outputs.map(({ id }) => id)]);
    assert.is(ids.length, jobs.length * 4);
    assert.is(new Set(ids).size, ids.length);
    const next = await stores[0].create(draftFor());
    assert.ok(ids.every((id) => id < next.id));
    assert.ok(rejected > 0, 'no failure reached a writer');
    printClosingLine(name, [
      `${roundCount} failures`,
      `${jobs.length} jobs`,
      `${promises.counts.size} updated`,
      `${rejected} operations rejected`,
    ]);
  });

  test.run();
}
