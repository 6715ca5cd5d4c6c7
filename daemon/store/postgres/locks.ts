import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { backoffDelayMs } from '../../../src/shared/util/timing.js';
import type { DatabaseTarget } from './errors.js';
import type { DatabaseSchema, DatabaseTransaction } from './schema.js';

/** The options of `lead`. */
interface LeadershipOptions {
  readonly log: Log;
  /**
   * Called whenever this process becomes the leader. The signal is aborted when it no longer is. If it returns a
   * promise, the process does not lead again before that settles, and `close` keeps the lock until then. A rejection is
   * logged.
   */
  readonly onGained: (signal: AbortSignal) => void | Promise<void>;
}

/** The part of this process in the choice of a leader. */
export interface Leadership {
  /**
   * Whether this process is the leader. Also false if the database has not confirmed it for some seconds, as in a
   * process that was frozen and continues.
   */
  isLeader(): boolean;
  /** Gives the leadership up, after the work of `onGained` has ended. Another process has it at once. */
  close(): Promise<void>;
}

/** The key of the advisory lock: the letters of `vencLead`. Advisory locks belong to one database. */
const lockKey = '8531346441885802852';

/*
 * The times are such that a leader that is cut off stops before the server gives the lock to another process. It sends
 * a check at most 2 s after the last answer and gives up 4 s later. The server gives up no earlier than 9 s after it
 * last received something.
 */
const checkIntervalMs = 2000;
const checkTimeoutMs = 4000;
const confirmedForMs = 8000;
/**
 * A wait for the lock ends after this time and begins again, for servers that do not detect that the waiting process is
 * gone.
 */
const maxWaitMs = 600_000;
/** Node repeats the probe every second, 10 times. */
const keepAliveDelayMs = 1000;
const backoff = { firstMs: 100, maxMs: 2000 };

/**
 * Settings of the session, as far as the server knows them. `idle_session_timeout` ends the session of a frozen leader.
 */
const sessionSettings: Readonly<Record<string, string>> = {
  lock_timeout: '0',
  statement_timeout: String(maxWaitMs),
  idle_session_timeout: '10s',
  tcp_keepalives_idle: '3',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10s',
};

/**
 * Takes part in the choice of one leader among the processes that share a database. The leader holds an advisory lock
 * in a session of its own; the others wait for it in PostgreSQL. When the leader ends, is killed, frozen or cut off,
 * the server gives the lock to another one.
 */
export function lead(config: ClientConfig, options: LeadershipOptions): Leadership {
  return new LockHolder(config, options);
}

class LockHolder implements Leadership {
  readonly #config: ClientConfig;
  readonly #options: LeadershipOptions;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #client: Client | null = null;
  /** Aborted when the lock is lost; null while this process does not lead. */
  #term: AbortController | null = null;
  /** When the last check that was answered was sent, on the clock of the process. */
  #confirmedAtMs = 0;

  constructor(config: ClientConfig, options: LeadershipOptions) {
    this.#config = {
      ...config,
      application_name: 'venc leader',
      statement_timeout: false,
      query_timeout: checkTimeoutMs,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
    };
    this.#options = options;
    this.#ended = this.#run();
  }

  isLeader(): boolean {
    return this.#term?.signal.aborted === false && performance.now() - this.#confirmedAtMs < confirmedForMs;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    // A leader ends its connection after its work.
    if (this.#term === null) await this.#client?.end().catch(() => undefined);
    else this.#term.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const hasLed = await this.#takeTurn().catch(() => false);
      failures = hasLed ? 1 : failures + 1;
      await pause(backoffDelayMs(failures, backoff), undefined, { signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  /**
   * Waits for the lock and leads until it is lost. Resolves to true if it has led; rejects if the connection fails
   * before.
   */
  async #takeTurn(): Promise<boolean> {
    const client = new Client(this.#config);
    const term = new AbortController();
    const lose = () => term.abort();
    client.on('error', lose);
    client.on('end', lose);
    this.#client = client;
    try {
      await client.connect();
      await prepare(client);
      if (this.#closing.signal.aborted) return false;
      const sentAtMs = await waitForLock(client);
      if (this.#closing.signal.aborted || term.signal.aborted) return false;
      this.#confirmedAtMs = sentAtMs;
      this.#term = term;
      const work = this.#work(term.signal);
      await this.#holdUntilLost(client, term);
      await work;
      return true;
    } finally {
      this.#term = null;
      this.#client = null;
      await client.end().catch(() => undefined);
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { log, onGained } = this.#options;
    log('info', 'This daemon leads: it does the work that one daemon does for all.');
    try {
      await onGained(signal);
    } catch (error) {
      log('error', `The work of the leading daemon failed: ${String(error)}`);
    }
  }

  /** Resolves when the lock is lost or given up; the signal of the term is aborted then. */
  async #holdUntilLost(client: Client, term: AbortController): Promise<void> {
    const { signal } = term;
    while (!signal.aborted) {
      await pause(checkIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) break;
      const sentAtMs = performance.now();
      await client.query('select').then(
        () => {
          this.#confirmedAtMs = sentAtMs;
        },
        () => term.abort(),
      );
    }
    if (!this.#closing.signal.aborted)
      this.#options.log('warn', 'This daemon no longer leads: its connection to the database was lost.');
  }
}

async function prepare(client: Client): Promise<void> {
  await client.query(
    `select set_config(name, value, false) from json_each_text($1) as wanted (name, value)
      where name in (select name from pg_settings)`,
    [JSON.stringify(sessionSettings)],
  );
  // Ends the wait of a process that is gone. PostgreSQL 13 does not know it, and some systems do not support it.
  await client.query("set client_connection_check_interval = '2s'").catch(() => undefined);
}

/** Resolves when the session holds the lock, to a time at which it did. */
async function waitForLock(client: Client): Promise<number> {
  const wait = {
    text: 'select pg_advisory_lock($1)',
    values: [lockKey],
    // The types of the driver lack it.
    query_timeout: maxWaitMs + checkTimeoutMs,
  };
  await client.query(wait);
  // The answer may have waited in a process that was frozen.
  const sentAtMs = performance.now();
  await client.query('select');
  return sentAtMs;
}

/*
 * An advisory lock of the database: each process that uses the database has it, shared, while it is connected, and a
 * migration has it alone. The server releases it when the connection ends.
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

/** The keys of locks that a transaction holds: the letters of `vencInit`, `vencJoin` and `vencAcco`. */
const transactionLocks = {
  /** Of a task that creates or changes tables. */
  tables: '8531346441836063092',
  /** Of joins and drains of workers. */
  workers: '8531346441852905838',
  /** Of creates of accounts with a limit of waiting jobs. */
  quotas: '8531346441885933907',
  /** Of changes of accounts, keys and credentials. */
  accounts: '8531346441701122927',
} as const;

/** Takes a lock until the end of the transaction. Waits while another process has it. */
export async function lockUntilCommit(
  transaction: DatabaseTransaction,
  name: keyof typeof transactionLocks,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${transactionLocks[name]})`.execute(transaction);
}

/** Runs a task that creates or changes tables. Other processes that call this wait. */
export function runAlone<T>(queries: Kysely<DatabaseSchema>, task: () => Promise<T>): Promise<T> {
  return queries.transaction().execute(async (transaction) => {
    // Nothing else runs in this transaction, which is idle as long as the task takes.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    await lockUntilCommit(transaction, 'tables');
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
