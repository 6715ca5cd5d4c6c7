import { type Insertable, sql } from 'kysely';
import { chunksOf } from '../../../src/shared/util/chunks-of.js';
import { reservedThumbnailIds } from '../../jobs/thumbnails.js';
import { noAccounts } from '../accounts/accounts-document.js';
import { encrypt } from '../credentials/credentials-file.js';
import { idempotencyName } from '../jobs/index-entry.js';
import type {
  IdRange,
  MigrationName,
  RemovedRecords,
  SetupRecords,
  StoredJob,
  TargetState,
  WritableRecords,
} from '../stored-records.js';
import { writeAccountRows, writeOwner } from './accounts.js';
import { beginMigration, finishMigration, targetState } from './data-migration.js';
import { DatabaseRecords } from './database-records.js';
import { columnsOf, type UsageOfJob, usageRowsOf } from './job-rows.js';
import { writeCredentialRows } from './postgres-credentials.js';
import { type DatabaseTransaction, type IdempotencyKeysTable, maxRowsPerInsert } from './schema.js';

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
      for (const table of ['accounts', 'api_keys', 'worker_keys', 'owner', 'drained_workers'] as const)
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

/** Takes the keys of jobs that can still be found by them. Of several jobs the newest has the key, as in a data folder. */
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
