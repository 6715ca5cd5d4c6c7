import { type Kysely, sql } from 'kysely';
import { VencError } from '../../../src/shared/errors.js';
import type { MigrationName, TargetState } from '../stored-records.js';
import type { DatabaseSchema } from './schema.js';

/** What a database contains before a migration to it. */
export async function targetState(queries: Kysely<DatabaseSchema>): Promise<TargetState> {
  const found = await queries.selectFrom('data_migration').selectAll().executeTakeFirst();
  if (found !== undefined) {
    const { source, key_check: keyCheck, is_finished: isFinished } = found;
    return { kind: 'migration', migration: { source, keyCheck }, isFinished };
  }
  const { rows } = await sql<{ what: string }>`
    select what from (values
      ('jobs', exists (select from venc.jobs)),
      ('accounts', exists (select from venc.accounts)),
      ('keys', exists (select from venc.api_keys) or exists (select from venc.worker_keys)),
      ('saved credentials', exists (select from venc.credentials)),
      ('drained workers', exists (select from venc.drained_workers)),
      ('the usage of removed jobs', exists (select from venc.usage) or exists (select from venc.removed_files)),
      ('ids of removed jobs', exists (select from venc.ids where last_id > 0))
    ) as found (what, is_there) where is_there`.execute(queries);
  const [first] = rows;
  return first === undefined ? { kind: 'empty' } : { kind: 'used', what: first.what };
}

/** Records that a migration to the database has begun. */
export async function beginMigration(
  queries: Kysely<DatabaseSchema>,
  migration: MigrationName,
): Promise<void> {
  const row = { source: migration.source, key_check: migration.keyCheck, is_finished: false };
  await queries
    .insertInto('data_migration')
    .values(row)
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet(row))
    .execute();
}

/** Records that the migration to the database has finished. */
export async function finishMigration(queries: Kysely<DatabaseSchema>): Promise<void> {
  await queries.updateTable('data_migration').set({ is_finished: true }).execute();
}

/** Rejects with `UsageError` if a migration to the database has not finished. */
export async function requireFinishedMigration(queries: Kysely<DatabaseSchema>): Promise<void> {
  const row = await queries.selectFrom('data_migration').selectAll().executeTakeFirst();
  if (row === undefined || row.is_finished) return;
  throw new VencError(
    'UsageError',
    `The database contains only a part of ${row.source}: a migration has not finished.`,
    { hint: 'run the same venc migrate command again, or use another database' },
  );
}
