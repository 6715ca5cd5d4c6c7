import { type Insertable, sql } from 'kysely';
import { chunksOf } from '../../../src/shared/util/collections.js';
import { reservedThumbnailIds } from '../../jobs/thumbnails.js';
import type { JobDailyUsage } from '../../jobs/usage.js';
import { noAccounts } from '../accounts/accounts-document.js';
import { decrypt, encrypt } from '../credentials/credentials-file.js';
import { doneFolderName } from '../data-folder/layout.js';
import { idempotencyName, type RemovedJob } from '../jobs/index-entry.js';
import { type JobDocument, readJobDocument } from '../jobs/job-document.js';
import type {
  DamagedRecord,
  IdRange,
  MigrationName,
  PlainCredential,
  RemovedRecords,
  SetupRecords,
  StoredJob,
  StoredRecords,
  TargetState,
  WritableRecords,
} from '../stored-records.js';
import { readAccountRows, readOwner, writeAccountRows, writeOwner } from './accounts.js';
import type { ExclusiveDatabase } from './connection.js';
import { listCredentialRows, writeCredentialRows } from './credentials.js';
import { columnsOf, type JobRow, jobColumns, type UsageOfJob, usageRowsOf } from './job-rows.js';
import { beginMigration, finishMigration, targetState } from './migrations.js';
import { type DatabaseTransaction, type IdempotencyKeysTable, maxRowsPerInsert } from './schema.js';

/** The options of `DatabaseRecords`. */
interface DatabaseRecordsOptions {
  readonly database: ExclusiveDatabase;
  readonly encryptionKey: Buffer;
  /** Idempotency keys of jobs that were created before are forgotten. */
  readonly keysSince: Date;
  /** Called for each job whose record is invalid, at each time that it is read. It is left out. */
  readonly onDamaged: (record: DamagedRecord) => void;
}

/** Jobs that are read with one query: a job may have a record of megabytes. */
const jobsPerQuery = 100;
const idsPerFolder = 1000;

/** The records of a database. */
export class DatabaseRecords implements StoredRecords {
  readonly name: string;
  protected readonly options: DatabaseRecordsOptions;

  constructor(options: DatabaseRecordsOptions) {
    this.options = options;
    this.name = options.database.name;
  }

  protected get queries(): ExclusiveDatabase['queries'] {
    this.options.database.requireLock();
    return this.options.database.queries;
  }

  async countJobs(): Promise<number> {
    const counted = await this.queries
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    return Number(counted.total);
  }

  async *jobs({ after, upTo }: IdRange = { after: 0, upTo: Number.POSITIVE_INFINITY }) {
    for (let last = after; ; ) {
      const rows = await this.queries
        .selectFrom('jobs')
        .select(jobColumns)
        .where('id', '>', last)
        .where('id', '<=', Math.min(upTo, Number.MAX_SAFE_INTEGER))
        .orderBy('id')
        .limit(jobsPerQuery)
        .execute();
      if (rows.length === 0) return;
      yield await this.#stored(rows);
      last = Number(rows.at(-1)?.id);
    }
  }

  async *removed(): AsyncIterable<RemovedRecords> {
    for (let id = await this.#nextUsed(0); id !== null; ) {
      const folder = doneFolderName(id);
      const first = Number(folder) * idsPerFolder;
      const rows = await this.#usageRows({ after: first - 1, upTo: first + idsPerFolder - 1 }, 'removed');
      const files = await this.queries
        .selectFrom('removed_files')
        .select('url')
        .distinct()
        .where('job_id', '>=', first)
        .where('job_id', '<', first + idsPerFolder)
        .orderBy('url')
        .execute();
      if (rows.length + files.length > 0)
        yield { folder, entries: entriesOf(rows), files: files.map(({ url }) => url) };
      id = await this.#nextUsed(first + idsPerFolder);
    }
  }

  async setup(): Promise<SetupRecords> {
    const { encryptionKey } = this.options;
    const document = await readAccountRows(this.queries, encryptionKey);
    const uses = await this.queries
      .selectFrom('api_keys')
      .select(['id', 'last_used_at'])
      .unionAll(this.queries.selectFrom('worker_keys').select(['id', 'last_used_at']))
      .orderBy('id')
      .execute();
    return {
      document,
      keyUses: Object.fromEntries(
        uses.flatMap(({ id, last_used_at: at }) => (at === null ? [] : [[id, at.toISOString()]])),
      ),
      ownerKey: await readOwner(this.queries, encryptionKey),
      credentials: await this.#credentials(),
      drainedWorkers: await this.#drainedWorkers(),
    };
  }

  async lastId(): Promise<number> {
    const row = await this.queries.selectFrom('ids').select('last_id').executeTakeFirstOrThrow();
    return Number(row.last_id);
  }

  /** Adds the usage and the keys of jobs to their rows. */
  async #stored(rows: readonly JobRow[]): Promise<readonly StoredJob[]> {
    const ids = rows.map(({ id }) => Number(id));
    const range = { after: (ids[0] ?? 0) - 1, upTo: ids.at(-1) ?? 0 };
    const usage = new Map(
      entriesOf(await this.#usageRows(range, 'existing')).map((one) => [one.id, one.usage]),
    );
    const keys = await this.queries
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('job_id', 'in', ids)
      .where('created_at', '>', this.options.keysSince)
      .execute();
    const names = new Map(keys.map((row) => [Number(row.job_id), idempotencyName(row.account_id, row.key)]));
    return rows.flatMap((row) => {
      const document = this.#read(row);
      if (document === null) return [];
      const { id, accountId, idempotency } = document.job;
      const isFoundByKey =
        idempotency !== null && names.get(id) === idempotencyName(accountId, idempotency.key);
      return [{ ...document, usage: usage.get(id) ?? [], isFoundByKey }];
    });
  }

  #read({ id, revision, document }: JobRow): JobDocument | null {
    const found = readJobDocument({ revision, job: JSON.parse(document) as unknown }, Number(id));
    if (found === null)
      this.options.onDamaged({
        place: `job ${id} in ${this.name}`,
        reason: 'its fields are not those of a job',
      });
    return found;
  }

  /** The usage of the jobs in a range that exist, or that were removed. */
  async #usageRows({ after, upTo }: IdRange, which: 'existing' | 'removed'): Promise<readonly UsageRow[]> {
    const exists = sql<boolean>`exists (select from venc.jobs where jobs.id = usage.job_id)`;
    return this.queries
      .selectFrom('usage')
      .selectAll()
      .where('job_id', '>', after)
      .where('job_id', '<=', upTo)
      .where(exists, '=', which === 'existing')
      .orderBy('job_id')
      .orderBy('day')
      .execute();
  }

  /**
   * The first id, from this one on, of a job that has usage or files; null if there is none. Index scans alone find it.
   */
  async #nextUsed(from: number): Promise<number | null> {
    const { rows } = await sql<{ id: string | null }>`
      select least(
        (select min(job_id) from venc.usage where job_id >= ${from}),
        (select min(job_id) from venc.removed_files where job_id >= ${from})
      ) as id`.execute(this.queries);
    const id = rows[0]?.id ?? null;
    return id === null ? null : Number(id);
  }

  async #drainedWorkers(): Promise<readonly string[]> {
    const rows = await this.queries.selectFrom('drained_workers').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  }

  async #credentials(): Promise<readonly PlainCredential[]> {
    const stored = await listCredentialRows(this.queries);
    return stored.map(({ encrypted, ...entry }) => ({
      ...entry,
      ...decrypt({ ...entry, encrypted }, this.options.encryptionKey),
    }));
  }
}

/** A row of the table of usage. */
interface UsageRow {
  readonly job_id: number | string;
  readonly account_id: string;
  readonly day: string;
  readonly grouping: string;
  readonly encoded_ms: number | string;
  readonly billable_ms: number | string;
}

/**
 * Groups rows, which are ordered by job, by their jobs. The state of a removed job is not stored, and nothing depends
 * on it.
 */
function entriesOf(rows: readonly UsageRow[]): readonly RemovedJob[] {
  const entries = new Map<number, RemovedJob & { usage: JobDailyUsage[] }>();
  for (const row of rows) {
    const id = Number(row.job_id);
    const entry = entries.get(id) ?? { id, accountId: row.account_id, state: 'finished', usage: [] };
    entry.usage.push({
      day: row.day,
      grouping: JSON.parse(row.grouping) as string | null,
      encodedMs: Number(row.encoded_ms),
      billableMs: Number(row.billable_ms),
    });
    entries.set(id, entry);
  }
  return [...entries.values()];
}

/** A database to which a migration copies. Several daemons may use it afterwards. */
export class WritableDatabase extends DatabaseRecords implements WritableRecords {
  state(): Promise<TargetState> {
    return targetState(this.queries);
  }

  begin(migration: MigrationName): Promise<void> {
    return beginMigration(this.queries, migration);
  }

  finish(): Promise<void> {
    return finishMigration(this.queries);
  }

  async idsOf({ after, upTo }: IdRange): Promise<readonly number[]> {
    const rows = await this.queries
      .selectFrom('jobs')
      .select('id')
      .where('id', '>', after)
      .where('id', '<=', Math.min(upTo, Number.MAX_SAFE_INTEGER))
      .execute();
    return rows.map(({ id }) => Number(id));
  }

  async putJobs(jobs: readonly StoredJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.queries.transaction().execute(async (transaction) => {
      await deleteRows(
        transaction,
        jobs.map(({ job }) => job.id),
      );
      const rows = jobs.map(({ revision, job }) => ({
        id: job.id,
        last_id: lastIdOf(job),
        ...columnsOf(revision, job),
      }));
      await transaction.insertInto('jobs').values(rows).execute();
      await insertUsage(
        transaction,
        jobs.map(({ job, usage }) => ({ id: job.id, accountId: job.accountId, usage })),
      );
      await insertKeys(transaction, jobs);
    });
  }

  async deleteJobs(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.queries.transaction().execute((transaction) => deleteRows(transaction, ids));
  }

  async replaceRemoved(records: AsyncIterable<RemovedRecords>): Promise<void> {
    await sql`delete from venc.usage where not exists (select from venc.jobs where jobs.id = usage.job_id)`.execute(
      this.queries,
    );
    await this.queries.deleteFrom('removed_files').execute();
    for await (const { entries, files } of records) {
      await this.queries.transaction().execute(async (transaction) => {
        await insertUsage(transaction, entries);
        // A data folder does not record which job a file belonged to. No job has the id 0.
        await sql`insert into venc.removed_files (job_id, url) select 0, unnest(${[...files]}::text[])
          on conflict do nothing`.execute(transaction);
      });
    }
  }

  async replaceSetup(setup: SetupRecords): Promise<void> {
    const { document, keyUses, ownerKey, credentials, drainedWorkers } = setup;
    const { encryptionKey } = this.options;
    await this.queries.transaction().execute(async (transaction) => {
      for (const table of [
        'accounts',
        'api_keys',
        'worker_keys',
        'retired_keys',
        'owner',
        'drained_workers',
      ] as const)
        await transaction.deleteFrom(table).execute();
      await writeAccountRows(transaction, { before: noAccounts, after: document }, encryptionKey);
      for (const [id, usedAt] of Object.entries(keyUses))
        for (const table of ['api_keys', 'worker_keys'] as const)
          await transaction
            .updateTable(table)
            .set({ last_used_at: new Date(usedAt) })
            .where('id', '=', id)
            .execute();
      if (ownerKey !== null) await writeOwner(transaction, ownerKey, encryptionKey);
      const encrypted = credentials.map(({ user, secret, ...entry }) => ({
        ...entry,
        encrypted: encrypt({ user, secret }, encryptionKey, entry),
      }));
      await writeCredentialRows(transaction, encrypted);
      await sql`insert into venc.drained_workers (name) select unnest(${[...drainedWorkers]}::text[])`.execute(
        transaction,
      );
    });
  }

  async replaceLastId(id: number): Promise<void> {
    await this.queries.updateTable('ids').set({ last_id: id }).execute();
  }
}

async function deleteRows(transaction: DatabaseTransaction, ids: readonly number[]): Promise<void> {
  await transaction.deleteFrom('idempotency_keys').where('job_id', 'in', ids).execute();
  await transaction.deleteFrom('usage').where('job_id', 'in', ids).execute();
  await transaction.deleteFrom('jobs').where('id', 'in', ids).execute();
}

/** The last id of the block that was assigned to a job: a data folder does not record it. */
function lastIdOf({ id, outputs }: StoredJob['job']): number {
  return id + 1 + outputs.length + reservedThumbnailIds(outputs);
}

async function insertUsage(transaction: DatabaseTransaction, jobs: readonly UsageOfJob[]): Promise<void> {
  const rows = jobs.flatMap(usageRowsOf);
  for (const some of chunksOf(rows, maxRowsPerInsert))
    await transaction.insertInto('usage').values(some).execute();
}

/**
 * Takes the keys of jobs that can still be found by them. Of several jobs the newest has the key, as in a data folder.
 */
async function insertKeys(transaction: DatabaseTransaction, jobs: readonly StoredJob[]): Promise<void> {
  const rows = new Map<string, Insertable<IdempotencyKeysTable>>();
  for (const { job, isFoundByKey } of jobs) {
    const { id, accountId, idempotency, createdAt } = job;
    if (idempotency === null || !isFoundByKey) continue;
    const { key } = idempotency;
    const row = { account_id: accountId, key, job_id: id, created_at: new Date(createdAt) };
    rows.set(idempotencyName(accountId, key), row);
  }
  if (rows.size === 0) return;
  await transaction
    .insertInto('idempotency_keys')
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet(({ ref }) => ({
        job_id: ref('excluded.job_id'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute();
}
