import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { VencError } from '../../../src/shared/errors.js';
import type { MigrationName, TargetState } from '../stored-records.js';
import { type DatabaseSchema, schemaName } from './schema.js';

/** A version that adds a column of text to the accounts. */
function accountColumn(name: string): Migration {
  return {
    async up(database) {
      await sql.raw(`alter table venc.accounts add column ${name} text`).execute(database);
    },
  };
}

/**
 * All versions of the schema, in order. A version that was released is never changed: a later one changes what it
 * created. Texts that are compared have the collation "C", so that the order is the same on every server.
 */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-jobs-and-accounts': {
    async up(database) {
      for (const statement of firstVersion) await sql.raw(statement).execute(database);
    },
  },
  '0002-queue': {
    async up(database) {
      for (const statement of queueTables) await sql.raw(statement).execute(database);
    },
  },
  '0003-workers': {
    async up(database) {
      for (const statement of workerTables) await sql.raw(statement).execute(database);
    },
  },
  '0004-job-counts': {
    async up(database) {
      for (const statement of jobCounts) await sql.raw(statement).execute(database);
    },
  },
  '0005-job-parts': {
    async up(database) {
      await sql.raw(needsByPart).execute(database);
    },
  },
  '0006-holders': {
    async up(database) {
      for (const statement of holders) await sql.raw(statement).execute(database);
    },
  },
  '0007-pauses': accountColumn('pause'),
  '0008-presets': accountColumn('presets'),
  '0009-key-expiry': {
    async up(database) {
      for (const table of ['api_keys', 'worker_keys'])
        await sql
          .raw(`alter table venc.${table} add column name text, add column expires_at text`)
          .execute(database);
      await sql.raw('create table venc.retired_keys (hash text collate "C" primary key)').execute(database);
    },
  },
  '0010-integration-since': accountColumn('integration_since'),
  '0011-quotas': accountColumn('quotas'),
  '0012-open-hours': accountColumn('open_hours'),
  '0013-viewer-keys': {
    async up(database) {
      await sql
        .raw('alter table venc.api_keys add column is_viewer boolean not null default false')
        .execute(database);
    },
  },
  '0014-change-positions': {
    async up(database) {
      for (const statement of changePositions) await sql.raw(statement).execute(database);
    },
  },
  '0015-sessions': accountColumn('sessions'),
};

const firstVersion: readonly string[] = [
  `create table venc.ids (
    last_id bigint not null,
    only_row boolean primary key default true check (only_row)
  )`,
  'insert into venc.ids (last_id) values (0)',
  `create table venc.jobs (
    id bigint primary key,
    last_id bigint not null,
    account_id text collate "C" not null,
    state text collate "C" not null,
    created_at timestamptz not null,
    ended_at timestamptz,
    has_notifications boolean not null,
    claim text,
    revision integer not null,
    changed_at timestamptz not null default clock_timestamp(),
    document json not null
  )`,
  'create index jobs_account on venc.jobs (account_id, id)',
  'create index jobs_account_state on venc.jobs (account_id, state, id)',
  'create index jobs_state on venc.jobs (state, id)',
  'create index jobs_changed on venc.jobs (changed_at)',
  'create index jobs_notifications on venc.jobs (id) where has_notifications',
  `create index jobs_removable on venc.jobs (ended_at, id)
    where ended_at is not null and not has_notifications`,
  `create table venc.idempotency_keys (
    account_id text collate "C" not null,
    key text collate "C" not null,
    job_id bigint not null,
    created_at timestamptz not null,
    primary key (account_id, key)
  )`,
  'create index idempotency_keys_job on venc.idempotency_keys (job_id)',
  `create table venc.usage (
    job_id bigint not null,
    account_id text collate "C" not null,
    day text collate "C" not null,
    "grouping" text collate "C" not null,
    encoded_ms bigint not null,
    billable_ms bigint not null,
    primary key (job_id, day)
  )`,
  'create index usage_account_day on venc.usage (account_id, day)',
  'create table venc.removed_files (job_id bigint not null, url text not null, primary key (job_id, url))',
  `create table venc.accounts (
    id text collate "C" primary key,
    name text not null,
    is_integration boolean not null,
    created_at text not null,
    notification_secret text not null
  )`,
  `create table venc.api_keys (
    id text collate "C" primary key,
    account_id text collate "C" not null,
    kind text not null,
    hash text not null,
    created_at text not null,
    last_used_at timestamptz
  )`,
  `create table venc.worker_keys (
    id text collate "C" primary key,
    hash text not null,
    created_at text not null,
    last_used_at timestamptz
  )`,
  `create table venc.owner (
    encrypted_key text not null,
    only_row boolean primary key default true check (only_row)
  )`,
  `create table venc.credentials (
    account_id text collate "C" not null,
    name text collate "C" not null,
    scheme text,
    is_default boolean not null,
    created_at text not null,
    encrypted text not null,
    primary key (account_id, name)
  )`,
  `create table venc.data_migration (
    source text not null,
    key_check text not null,
    is_finished boolean not null,
    only_row boolean primary key default true check (only_row)
  )`,
];

const queueTables: readonly string[] = [
  `create table venc.queues (
    name text collate "C" primary key,
    account_id text collate "C" not null,
    requires text not null,
    needs text not null
  )`,
  `create table venc.queue_entries (
    job_id bigint primary key,
    queue text collate "C" not null,
    priority smallint not null,
    is_waiting boolean not null
  )`,
  'create index queue_entries_waiting on venc.queue_entries (queue, priority desc, job_id) where is_waiting',
  'create index queue_entries_running on venc.queue_entries (job_id) where not is_waiting',
];

/**
 * Updates of `last_seen_at` are frequent: the free space of a page keeps them on it, and `request` is stored apart and
 * not written again.
 */
const workerTables: readonly string[] = [
  `create table venc.workers (
    id text collate "C" primary key,
    name text collate "C" not null,
    folder_id text collate "C",
    process_id text collate "C",
    request text not null,
    joined_at timestamptz not null default clock_timestamp(),
    last_seen_at timestamptz not null default clock_timestamp()
  ) with (fillfactor = 50)`,
  'create table venc.drained_workers (name text collate "C" primary key)',
];

/** The needs of a queue's jobs become those of their only part. */
const needsByPart = `update venc.queues set needs = '[{"requires":[],"needs":' || needs || ',"decoding":-1}]'`;

/** Who holds a job. Updates of `reported_at` are frequent: the free space of a page keeps them on it. */
const holders: readonly string[] = [
  `alter table venc.queue_entries
    add column attempt integer not null default 0,
    add column reported_at timestamptz,
    set (fillfactor = 70)`,
  'update venc.queue_entries set reported_at = now() where not is_waiting',
  'create index queue_entries_held on venc.queue_entries (job_id) where reported_at is not null',
];

/**
 * The numbers of jobs, by account and state, as the sum of changes: rows are only added, so that creates do not wait
 * for each other. The trigger keeps writers out until the existing jobs are counted.
 */
const jobCounts: readonly string[] = [
  `create table venc.job_counts (
    account_id text collate "C" not null,
    state text collate "C" not null,
    change bigint not null
  )`,
  'create index job_counts_account on venc.job_counts (account_id, state)',
  `create function venc.count_jobs() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then insert into venc.job_counts values (old.account_id, old.state, -1); end if;
      if tg_op <> 'DELETE' then insert into venc.job_counts values (new.account_id, new.state, 1); end if;
      return null;
    end $$`,
  `create trigger count_jobs after insert or delete on venc.jobs for each row execute function venc.count_jobs()`,
  `create trigger count_changed_jobs after update on venc.jobs for each row
    when (old.state <> new.state or old.account_id <> new.account_id) execute function venc.count_jobs()`,
  'insert into venc.job_counts select account_id, state, count(*) from venc.jobs group by account_id, state',
];

/**
 * The transaction of the last change of each job, and of its removal. Jobs that have not changed since have none: every
 * position is later than they are.
 */
const changePositions: readonly string[] = [
  'alter table venc.jobs add column changed_in xid8',
  'create index jobs_changed_in on venc.jobs (changed_in) where changed_in is not null',
  `create table venc.removed_jobs (
    job_id bigint primary key,
    account_id text collate "C" not null,
    changed_in xid8 not null,
    removed_at timestamptz not null default clock_timestamp()
  )`,
  'create index removed_jobs_changed_in on venc.removed_jobs (changed_in)',
  'create index removed_jobs_removed_at on venc.removed_jobs (removed_at)',
  `create table venc.forgotten_removals (
    forgotten xid8 not null,
    only_row boolean primary key default true check (only_row)
  )`,
  `insert into venc.forgotten_removals (forgotten) values ('0')`,
  `create function venc.set_changed_in() returns trigger language plpgsql as $$
    begin
      new.changed_in := pg_current_xact_id();
      return new;
    end $$`,
  `create trigger set_changed_in before insert or update on venc.jobs for each row
    execute function venc.set_changed_in()`,
  `create function venc.add_removed_job() returns trigger language plpgsql as $$
    begin
      insert into venc.removed_jobs (job_id, account_id, changed_in)
      values (old.id, old.account_id, pg_current_xact_id())
      on conflict (job_id) do update set changed_in = excluded.changed_in, removed_at = excluded.removed_at;
      return null;
    end $$`,
  `create trigger add_removed_job after delete on venc.jobs for each row execute function venc.add_removed_job()`,
];

const migrationTable = 'schema_versions';

/**
 * Migrates the schema to the version of this program. Several processes may call it at once: one migrates, the others
 * wait for it. Rejects with `UsageError` if the schema is newer.
 */
export async function migrate(database: Kysely<DatabaseSchema>): Promise<void> {
  await requireKnownVersion(database);
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableSchema: schemaName,
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // Another process may have migrated it to a newer version meanwhile.
  await requireKnownVersion(database);
  throw error;
}

async function requireKnownVersion(database: Kysely<DatabaseSchema>): Promise<void> {
  const table = `${schemaName}.${migrationTable}`;
  const { rows: tables } = await sql<{ found: string | null }>`select to_regclass(${table}) as found`.execute(
    database,
  );
  if (tables[0]?.found == null) return;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)} order by name`.execute(
    database,
  );
  const newer = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name));
  if (newer.length === 0) return;
  throw new VencError(
    'UsageError',
    `The database has a newer schema (${newer.at(-1)}) than this version of venc; upgrade venc.`,
    { hint: 'install the version that migrated the database, or use another database' },
  );
}

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
