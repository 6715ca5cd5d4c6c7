import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import { openAccounts } from '../../daemon/store/accounts/accounts.js';
import { encrypt } from '../../daemon/store/credentials/credentials-file.js';
import { postgresSetup } from '../../daemon/store/postgres/accounts.js';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { openPostgresCredentials, writeCredentialRows } from '../../daemon/store/postgres/credentials.js';
import type { PostgresJobStore } from '../../daemon/store/postgres/jobs.js';
import type { DatabaseTransaction } from '../../daemon/store/postgres/schema.js';
import { isVencError } from '../../src/shared/errors.js';
import { allOf, draftFor, draftWith, withClaim } from '../contracts/job-store/store-facts.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { type PostgresStoreHarness, postgresHarnesses } from '../helpers/postgres-store-harness.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const log = () => undefined;

interface Context {
  harness: PostgresStoreHarness;
  /** Two stores of one database, as two daemons have. */
  here: PostgresJobStore;
  there: PostgresJobStore;
}

const name = 'stores that share a database';
if ('missing' in found) skipSuite(name, found);
else {
  const test = suite<Context>(name);
  const server = await startPostgres(found.bin);
  const createHarness = await postgresHarnesses(server);

  test.before.each(async (context) => {
    context.harness = await createHarness();
    context.here = await context.harness.open();
    context.there = await context.harness.open();
  });
  test.after(async () => {
    await (await createHarness()).close();
    await server.end();
  });

  const terminateAll = ({ harness }: Context, which = 'true') =>
    server.query(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${harness.database}' and (${which})`,
    );

  test('a change is visible in the other store at once, and reported to its listeners', async ({
    here,
    there,
  }) => {
    const reported: (readonly [Job, Job | null])[] = [];
    const own: Job[] = [];
    there.watch((job, before) => reported.push([job, before]));
    there.watchOwn((job) => own.push(job));
    const created = await here.create(draftFor());
    assert.equal(await there.get(created.id), created);
    const marked = await here.update(created.id, withClaim('a'));
    assert.equal(await there.get(created.id), marked);
    await waitUntil('the change is reported', () => reported.at(-1)?.[0].claim === 'a');
    assert.equal(own, []);
    const changed = await there.update(created.id, withClaim('b'));
    assert.equal(own, [changed]);
    assert.equal(await here.get(created.id), changed);
  });

  test('updates of one job by several stores do not overwrite each other', async ({ here, there }) => {
    const { id } = await here.create(draftFor());
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? here : there).update(id, (job) => ({ ...job, crashes: job.crashes + 1 })),
      ),
    );
    assert.is((await there.get(id))?.crashes, 40);
  });

  test('creates under one key by several stores are one job, and ids are unique', async ({ here, there }) => {
    const stores = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? here : there));
    const keyed = await Promise.all(stores.map((store) => store.create(draftWith({ key: 'k' }))));
    assert.is(new Set(keyed.map(({ id }) => id)).size, 1);
    const jobs = await Promise.all(stores.map((store) => store.create(draftFor('anna', 3))));
    const ids = jobs.flatMap((job) => [job.id, job.input.id, ...job.outputs.map(({ id }) => id)]);
    assert.is(new Set(ids).size, 20 * 5);
  });

  test('changes during a lost connection are reported after it', async (context) => {
    const { here, there } = context;
    const { id } = await here.create(draftFor());
    const claims = new Set<string | null>();
    there.watch((job) => claims.add(job.claim));
    await terminateAll(context, "query like '%listen%' or query like '%clock_timestamp() as now%'");
    await here.update(id, withClaim('while it was lost'));
    await waitUntil('the change is reported', () => claims.has('while it was lost'));
  });

  test('a hook writes in the transaction of the change, and its error undoes the change', async ({
    harness,
  }) => {
    await server.query(harness.database, 'create table public.enqueued (id bigint, claim text)');
    let isFailing = false;
    const add = async (transaction: DatabaseTransaction, job: Job) => {
      await enqueue(transaction, job);
      if (isFailing) throw new Error('the queue rejected it');
    };
    const store = await harness.open({ onCreate: add, onUpdate: add });
    const job = await store.create(draftFor());
    await store.update(job.id, withClaim('a'));
    await store.update(job.id, (same) => same);
    isFailing = true;
    for (const change of [() => store.create(draftFor()), () => store.update(job.id, withClaim('b'))]) {
      const error = await change().catch((caught: unknown) => caught);
      assert.is(error instanceof Error && error.message, 'the queue rejected it');
    }
    assert.equal(
      (await allOf(store)).map(({ claim }) => claim),
      ['a'],
    );
    const rows = await server.query(harness.database, 'select claim from public.enqueued order by claim');
    assert.equal(rows, [{ claim: 'a' }, { claim: null }]);
  });

  test('texts that PostgreSQL cannot hold are stored unchanged', async ({ here, there }) => {
    const odd = 'NUL \u0000, half a pair \ud800, \u{1f3ac}, "quoted" \\u0000';
    const job = await here.create(draftWith({ grouping: odd }));
    const failed = await here.update(job.id, (before) => ({ ...before, passThrough: odd }));
    assert.is((await there.get(job.id))?.passThrough, odd);
    assert.equal(await there.get(job.id), failed);
  });

  test('an ended connection rejects operations with UnavailableError, and the next ones succeed', async (context) => {
    const { here } = context;
    const { id } = await here.create(draftFor());
    const failures: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      // Handled from the start: they are rejected before the statement that ends their connections is answered.
      const running = Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          index % 2 === 0 ? here.create(draftFor()) : here.update(id, withClaim(`round ${round}`)),
        ),
      );
      await terminateAll(context);
      for (const one of await running) if (one.status === 'rejected') failures.push(one.reason);
    }
    for (const error of failures) {
      assert.ok(isVencError(error, 'UnavailableError'), String(error));
      assert.ok((error.retryAfterSeconds ?? 0) > 0);
    }
    await waitUntil('the store works again', () =>
      here.create(draftFor()).then(
        () => true,
        () => false,
      ),
    );
  });

  test('saved credentials are encrypted, and found by name or as the default of a scheme', async ({
    harness,
  }) => {
    const database = await openPostgresDatabase(server.dsn(harness.database), { log });
    const key = randomBytes(32);
    const credentials = openPostgresCredentials(database, key);
    const credential = { user: 'me', secret: 'verborgen' };
    const entries = (
      [
        ['anna', 'bucket'],
        ['anna', 'newer'],
        ['bert', 'bucket'],
      ] as const
    ).map(([accountId, name]) => ({
      ...{ accountId, name, scheme: 's3', isDefault: name === 'newer', createdAt: '' },
      encrypted: encrypt({ ...credential, user: name }, key, { accountId, name }),
    }));
    const write = (written: typeof entries) =>
      database.queries.transaction().execute((transaction) => writeCredentialRows(transaction, written));
    await write(entries);
    const request = { accountId: 'anna', scheme: 's3', name: null };
    assert.equal(await credentials.find(request), { user: 'newer', secret: 'verborgen' });
    assert.equal((await credentials.find({ ...request, name: 'bucket' }))?.user, 'bucket');
    assert.is((await credentials.check({ ...request, name: 'none' }))?.isMissing, true);
    const text = JSON.stringify(await server.query(harness.database, 'select * from venc.credentials'));
    assert.not.ok(text.includes('verborgen'));
    await write(entries.filter(({ name }) => name !== 'newer'));
    assert.is(await credentials.find(request), null);
    await database.close();
  });

  test('another encryption key is named, and uses of keys are stored', async ({ harness }) => {
    const database = await openPostgresDatabase(server.dsn(harness.database), { log });
    const encryptionKey = randomBytes(32);
    const setup = postgresSetup({ database, encryptionKey });
    const accounts = await openAccounts(setup, { log });
    const keyId = accounts.holderOf(await accounts.ensureOwner())?.keyId ?? '';
    accounts.recordUse(keyId);
    await accounts.close();
    assert.equal(Object.keys(await setup.keyUses()), [keyId]);
    const other = postgresSetup({ database, encryptionKey: randomBytes(32) });
    const error = await openAccounts(other, { log }).catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError') && /another key/.test(error.message));
    await database.close();
  });

  test.run();
}

async function enqueue(transaction: DatabaseTransaction, { id, claim }: Job): Promise<void> {
  await sql`insert into public.enqueued values (${id}, ${claim})`.execute(transaction);
}
