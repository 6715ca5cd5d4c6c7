import { Client } from 'pg';
import { VencError } from '../../../src/shared/errors.js';
import { clientConfig, targetOf } from './connection-pool.js';
import { type DatabaseTarget, nameOf, toDatabaseError } from './database-errors.js';
import { lockExclusively, lockHolderName } from './database-lock.js';
import { connectPool, type PostgresDatabase, prepare } from './open-database.js';
import { schemaName } from './schema.js';

/** A database that no other process uses. */
export interface ExclusiveDatabase extends Pick<PostgresDatabase, 'name' | 'queries'> {
  /** Throws `UnavailableError` if the lock was lost: another process may use the database since. */
  requireLock(): void;
  close(): Promise<void>;
}

/**
 * Opens a database for a migration. Rejects as `openPostgresDatabase` does, and with `InUseError` while another process uses it. Unless
 * `isCreated`, a database in which venc has stored nothing is a `UsageError`, and stays as it is.
 */
export async function openDatabaseExclusively(
  dsn: string,
  { isCreated }: { readonly isCreated: boolean },
): Promise<ExclusiveDatabase> {
  const config = clientConfig(dsn);
  const target = targetOf(config);
  const name = `the database ${nameOf(target)}`;
  const client = new Client({ ...config, application_name: lockHolderName('venc migrate') });
  let isLost = false;
  const onLost = () => {
    isLost = true;
  };
  client.on('error', onLost).on('end', onLost);
  const connections = connectPool(config, target, { maxConnections: 4 });
  const close = async () => {
    await connections.destroy();
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
    if (!isCreated) await requireSchema(client, target);
    await lockExclusively(client, target);
    await prepare(connections, target);
  } catch (error) {
    await close();
    throw toDatabaseError(error, target);
  }
  return {
    queries: connections.withSchema(schemaName),
    name,
    requireLock() {
      if (!isLost) return;
      throw new VencError('UnavailableError', `The connection to ${name} was lost.`, {
        hint: 'run the same command again: it continues where it stopped',
      });
    },
    close,
  };
}

async function requireSchema(client: Client, { database, server }: DatabaseTarget): Promise<void> {
  const { rows } = await client.query<{ found: string | null }>(
    `select to_regclass('${schemaName}.jobs')::text as found`,
  );
  if (rows[0]?.found != null) return;
  throw new VencError(
    'UsageError',
    `There are no records of venc in the database "${database}" on ${server}.`,
    {
      hint: 'correct the address of the database',
    },
  );
}
