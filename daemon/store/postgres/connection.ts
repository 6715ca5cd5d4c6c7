import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { ChangeChannel } from './changes.js';
import {
  type DatabaseTarget,
  invalidDsn,
  isConnectionLost,
  nameOf,
  toDatabaseError,
  toOpenDatabaseError,
  unusableDatabase,
} from './errors.js';
import { lockExclusively, lockHolderName } from './locks.js';
import { migrate, requireFinishedMigration } from './migrations.js';
import { type DatabaseSchema, schemaName } from './schema.js';

/** The result of a statement, as the driver returns it. */
interface StatementResult {
  readonly rows: readonly unknown[];
}

/** A statement that is about to run. Tests make it fail. */
export interface Statement {
  readonly sql: string;
  /** Runs it, or another one in its place, on the connection. */
  readonly run: (sql?: string) => Promise<StatementResult>;
  /** Ends the connection as a crash of the process does. */
  readonly cut: () => void;
}

/** Runs a statement: by default `statement.run()`. */
export type StatementRunner = (statement: Statement) => Promise<StatementResult>;

/** The options of `openPool`. */
interface PoolOptions {
  readonly maxConnections: number;
  readonly runStatement: StatementRunner;
  /** Maps the errors of connections and statements; {@link toDatabaseError} by default. */
  readonly mapError?: typeof toDatabaseError;
}

/** How long to wait for a connection, in milliseconds. */
const connectTimeoutMs = 10_000;
/** The server ends longer statements, and transactions whose client does nothing for so long, in milliseconds. */
const statementTimeoutMs = 30_000;
/** A connection without an answer for so long is given up, in milliseconds: the network between may be cut. */
const answerTimeoutMs = 40_000;

/** Parses a DSN. Throws `UsageError` without repeating it. */
export function clientConfig(dsn: string): ClientConfig {
  if (!/^postgres(ql)?:\/\//.test(dsn)) throw invalidDsn('it does not begin with postgres://');
  const config: ClientConfig = {
    connectionString: dsn,
    application_name: 'venc',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  };
  try {
    new Client(config);
  } catch {
    // The error is not kept as the cause: it contains the text.
    throw invalidDsn('it cannot be parsed');
  }
  return config;
}

/** What error messages say of the database of a DSN. */
function targetOf(config: ClientConfig): DatabaseTarget {
  const { host, port, database, user } = new Client(config);
  return {
    server: host.startsWith('/') ? host : `${host}:${port}`,
    database: database ?? '',
    user: user ?? '',
  };
}

/**
 * Opens a pool whose statements reject as `mapError` maps. A connection that failed is replaced. The first connection
 * is made by the first statement.
 */
function openPool(config: ClientConfig, target: DatabaseTarget, options: PoolOptions) {
  const { mapError = toDatabaseError } = options;
  const pool = new Pool({ ...config, max: options.maxConnections });
  // An idle connection was lost: the pool has removed it.
  pool.on('error', () => undefined);
  // The pool watches only idle connections. One that the server ends as soon as it is made is lost before its user can
  // watch it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    async connect() {
      try {
        const client = await pool.connect();
        return new CheckedClient(client, options.runStatement, (error) => mapError(error, target));
      } catch (error) {
        throw mapError(error, target);
      }
    },
    end: () => pool.end(),
  };
}

class CheckedClient {
  readonly #client: PoolClient;
  readonly #runStatement: StatementRunner;
  readonly #mapError: (error: unknown) => unknown;
  #isLost = false;
  #hasFailed = false;

  constructor(client: PoolClient, runStatement: StatementRunner, mapError: (error: unknown) => unknown) {
    this.#client = client;
    this.#runStatement = runStatement;
    this.#mapError = mapError;
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    try {
      const result = await this.#runStatement({
        sql,
        run: (other) =>
          other === undefined ? this.#client.query(sql, [...parameters]) : this.#client.query(other),
        cut: () => cutConnection(this.#client),
      });
      this.#hasFailed = false;
      return result;
    } catch (error) {
      this.#hasFailed = true;
      if (isConnectionLost(error)) this.#isLost = true;
      throw this.#mapError(error);
    }
  }

  release(isDiscarded = false): void {
    // A text that begins a transaction, as those of pg-boss do, leaves it open if one of its statements fails, and the
    // next user of the connection would be in it. The pool itself discards a connection that failed outside of a
    // statement.
    this.#client.release(isDiscarded || this.#isLost || this.#hasFailed);
  }
}

/**
 * Connects once. A pool leaves the socket of a failed connection open for a minute if the server asked for a password
 * that is missing, and with it the process. Rejects as `toDatabaseError` maps.
 */
async function tryConnection(config: ClientConfig, target: DatabaseTarget): Promise<void> {
  const client = new Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    cutConnection(client);
    throw toDatabaseError(error, target);
  }
}

/** Closes the socket without the message that ends a session, as the end of the process does. */
function cutConnection(client: Client | PoolClient): void {
  const { connection } = client as unknown as {
    readonly connection: { readonly stream: { destroy(): void } };
  };
  connection.stream.destroy();
}

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
   * Opens further connections, for statements that must not wait for others: of a library, which needs them as text.
   * `close` of the database closes them.
   */
  openStatements(maxConnections: number): RunStatements;
  /**
   * From now on, a right that was revoked and whatever else makes the database unusable counts as temporary:
   * `UnavailableError`.
   */
  expectRecovery(): void;
  /** Closes all connections. The stores that use the database must be closed before. */
  close(): Promise<void>;
}

/**
 * Opens a database of PostgreSQL 13 or newer and migrates it. Rejects with `UsageError` if the DSN is invalid, the
 * database does not admit the user or does not fit, its schema is newer, or it contains a part of an unfinished
 * migration, with `InUseError` during a migration, and with `UnavailableError` if the server cannot be reached. No
 * message contains the password.
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
function connectPool(
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
async function prepare(connections: Kysely<DatabaseSchema>, target: DatabaseTarget): Promise<void> {
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

/** A database that no other process uses. */
export interface ExclusiveDatabase extends Pick<PostgresDatabase, 'name' | 'queries'> {
  /** Throws `UnavailableError` if the lock was lost: another process may use the database since. */
  requireLock(): void;
  close(): Promise<void>;
}

/**
 * Opens a database for a migration. Rejects as `openPostgresDatabase` does, and with `InUseError` while another process
 * uses it. Unless `isCreated`, a database in which venc has stored nothing is a `UsageError`, and stays as it is.
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
    { hint: 'correct the address of the database' },
  );
}
