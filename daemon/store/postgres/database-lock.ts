import { hostname } from 'node:os';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import { VencError } from '../../../src/shared/errors.js';
import type { DatabaseTarget } from './database-errors.js';
import type { DatabaseSchema } from './schema.js';

/*
 * An advisory lock of the database: each process that uses the database has it, shared, while it is connected, and a migration has it alone.
 * The server releases it when the connection ends.
 */

/** The two numbers of the lock. The first one is "venc" in ASCII. */
const lock = '1986358883, 1';

/** What the server shows as the name of the connection that has the lock. */
export function lockHolderName(program: string): string {
  return `${program}, process id ${process.pid} on ${hostname()}`;
}

/** Takes the lock of a process that uses the database. Rejects with `InUseError` while a migration has it. */
export async function lockShared(client: Client, target: DatabaseTarget): Promise<void> {
  if (await tryLock(client, 'pg_try_advisory_lock_shared')) return;
  throw await inUse(client, target, 'Wait until the migration has ended.');
}

/** Takes the lock of a migration. Rejects with `InUseError`, which names the others, while any process has it. */
export async function lockExclusively(client: Client, target: DatabaseTarget): Promise<void> {
  if (await tryLock(client, 'pg_try_advisory_lock')) return;
  throw await inUse(client, target, 'Stop that process, then run the command again.');
}

/** The key of the advisory lock of {@link runAlone}: the letters of `vencInit`. */
const initLock = '8531346441836063092';

/** Runs a task that creates or changes tables. Other processes that call this wait. */
export function runAlone<T>(queries: Kysely<DatabaseSchema>, task: () => Promise<T>): Promise<T> {
  return queries.transaction().execute(async (transaction) => {
    // Nothing else runs in this transaction, which is idle as long as the task takes.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${initLock})`.execute(transaction);
    return task();
  });
}

async function tryLock(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isTaken: boolean }>(`select ${name}(${lock}) as "isTaken"`);
  return rows[0]?.isTaken === true;
}

async function inUse(client: Client, { server, database }: DatabaseTarget, hint: string): Promise<VencError> {
  const { rows } = await client.query<{ name: string | null }>(
    `select application_name as name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and (classid, objid, objsubid) = (${lock}, 2)
        and pg_locks.database = (select oid from pg_database where datname = current_database())
      order by backend_start limit 5`,
  );
  const names = rows.map(({ name }) => name ?? '').filter((name) => name !== '');
  const by = names.length === 0 ? 'another process' : names.join('; ');
  return new VencError('InUseError', `The database "${database}" on ${server} is in use by ${by}.`, { hint });
}
