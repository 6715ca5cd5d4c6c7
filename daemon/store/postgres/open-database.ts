import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import type { ClientConfig } from 'pg';
import type { Log } from '../../../src/shared/util/log.js';
import { ChangeChannel } from './change-channel.js';
import {
  clientConfig,
  openPool,
  type PoolOptions,
  type StatementRunner,
  targetOf,
  tryConnection,
} from './connection-pool.js';
import { requireFinishedMigration } from './data-migration.js';
import {
  type DatabaseTarget,
  nameOf,
  toDatabaseError,
  toOpenDatabaseError,
  unusableDatabase,
} from './database-errors.js';
import { migrate } from './migrations.js';
import { type DatabaseSchema, schemaName } from './schema.js';

/** The options of `openPostgresDatabase`. */
interface PostgresDatabaseOptions {
  /** Logs that the connection was lost. */
  readonly log: Log;
  /** Maximum number of connections, in addition to the one that receives notifications; 10 by default. */
  readonly maxConnections?: number;
  /** Runs each statement; tests make statements fail. */
  readonly runStatement?: StatementRunner;
}

/** Runs SQL on one of its connections, several statements at once if there are no parameters. */
type RunStatements = (sql: string, parameters?: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/** An open database, with the schema of this version. */
export interface PostgresDatabase {
  /** What messages call it. Contains no password. */
  readonly name: string;
  readonly queries: Kysely<DatabaseSchema>;
  readonly channel: ChangeChannel;
  /**
   * Opens further connections, for statements that must not wait for others: of a library, which needs them as text. `close` of the database
   * closes them.
   */
  openStatements(maxConnections: number): RunStatements;
  /** From now on, a right that was revoked and whatever else makes the database unusable counts as temporary: `UnavailableError`. */
  expectRecovery(): void;
  /** Closes all connections. The stores that use the database must be closed before. */
  close(): Promise<void>;
}

/**
 * Opens a database of PostgreSQL 13 or newer and migrates it. Rejects with `UsageError` if the DSN is invalid, the database does not admit
 * the user or does not fit, its schema is newer, or it contains a part of an unfinished migration, with `InUseError` during a migration, and with `UnavailableError` if the server cannot be reached. No message contains the
 * password.
 */
export async function openPostgresDatabase(
  dsn: string,
  options: PostgresDatabaseOptions,
): Promise<PostgresDatabase> {
  const config = clientConfig(dsn);
  const target = targetOf(config);
  await tryConnection(config, target);
  let map = toDatabaseError;
  const mapError = (error: unknown, of: DatabaseTarget) => map(error, of);
  const connections = connectPool(config, target, { ...options, mapError });
  try {
    await prepare(connections, target);
    const channel = await ChangeChannel.open(config, target, options.log).catch((error: unknown) => {
      throw toDatabaseError(error, target);
    });
    const furtherPools: ReturnType<typeof openPool>[] = [];
    const queries = connections.withSchema(schemaName);
    try {
      // With the lock of the channel, so that none begins afterwards.
      await requireFinishedMigration(queries);
    } catch (error) {
      await channel.close();
      throw error;
    }
    return {
      name: `the database ${nameOf(target)}`,
      queries,
      channel,
      openStatements(max) {
        const opened = openPool(config, target, {
          maxConnections: max,
          runStatement: options.runStatement ?? (({ run }) => run()),
          mapError,
        });
        furtherPools.push(opened);
        return async (text, parameters = []) => {
          const client = await opened.connect();
          try {
            return (await client.query(text, parameters)) as { rows: unknown[] };
          } finally {
            client.release();
          }
        };
      },
      expectRecovery() {
        map = toOpenDatabaseError;
      },
      async close() {
        await channel.close();
        await Promise.all(furtherPools.map((one) => one.end()));
        await connections.destroy();
      },
    };
  } catch (error) {
    await connections.destroy();
    throw error;
  }
}

/** Creates the pool of connections. The first statement connects. */
export function connectPool(
  config: ClientConfig,
  target: DatabaseTarget,
  {
    maxConnections = 10,
    runStatement = ({ run }) => run(),
    mapError = toDatabaseError,
  }: Omit<PostgresDatabaseOptions, 'log'> & Pick<PoolOptions, 'mapError'>,
): Kysely<DatabaseSchema> {
  const pool = openPool(config, target, { maxConnections, runStatement, mapError });
  return new Kysely<DatabaseSchema>({
    dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }),
  });
}

/** Checks that the database fits, and migrates its schema. Rejects as `openPostgresDatabase` does. */
export async function prepare(connections: Kysely<DatabaseSchema>, target: DatabaseTarget): Promise<void> {
  await requireFit(connections, target);
  await migrate(connections);
}

const minVersion = 130_000;

async function requireFit(connections: Kysely<DatabaseSchema>, target: DatabaseTarget): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string; commit: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      current_setting('synchronous_commit') as commit`.execute(connections);
  const [found] = rows;
  if (found === undefined) return;
  if (found.version < minVersion)
    throw unusableDatabase(target, 'it is older than PostgreSQL 13', 'upgrade PostgreSQL');
  if (found.encoding !== 'UTF8')
    throw unusableDatabase(
      target,
      `its encoding is ${found.encoding}`,
      `create one with the encoding UTF8: createdb --encoding UTF8 --template template0 ${target.database}`,
    );
  if (found.commit === 'off')
    throw unusableDatabase(
      target,
      'it confirms changes before they are on the disk (synchronous_commit is off)',
      `ALTER DATABASE "${target.database}" SET synchronous_commit = on`,
    );
}
