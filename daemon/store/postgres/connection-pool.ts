import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { type DatabaseTarget, invalidDsn, isConnectionLost, toDatabaseError } from './database-errors.js';

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
export interface PoolOptions {
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
export function targetOf(config: ClientConfig): DatabaseTarget {
  const { host, port, database, user } = new Client(config);
  return {
    server: host.startsWith('/') ? host : `${host}:${port}`,
    database: database ?? '',
    user: user ?? '',
  };
}

/**
 * Opens a pool whose statements reject as `mapError` maps. A connection that failed is replaced. The first connection is made by the
 * first statement.
 */
export function openPool(config: ClientConfig, target: DatabaseTarget, options: PoolOptions) {
  const { mapError = toDatabaseError } = options;
  const pool = new Pool({ ...config, max: options.maxConnections });
  // An idle connection was lost: the pool has removed it.
  pool.on('error', () => undefined);
  // The pool watches only idle connections. One that the server ends as soon as it is made is lost before its user can watch it.
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
    // A text that begins a transaction, as those of pg-boss do, leaves it open if one of its statements fails, and the next user of the
    // connection would be in it. The pool itself discards a connection that failed outside of a statement.
    this.#client.release(isDiscarded || this.#isLost || this.#hasFailed);
  }
}

/**
 * Connects once. A pool leaves the socket of a failed connection open for a minute if the server asked for a password that is missing, and
 * with it the process. Rejects as `toDatabaseError` maps.
 */
export async function tryConnection(config: ClientConfig, target: DatabaseTarget): Promise<void> {
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
