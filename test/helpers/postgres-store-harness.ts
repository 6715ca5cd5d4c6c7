import * as assert from 'uvu/assert';
import { startQueueEngine } from '../../daemon/queue/postgres/engine.js';
import { QueueEntries } from '../../daemon/queue/postgres/queue-entries.js';
import {
  openPostgresDatabase,
  type PostgresDatabase,
  type Statement,
  type StatementRunner,
} from '../../daemon/store/postgres/connection.js';
import {
  createPostgresJobStore,
  type PostgresJobStore,
  type PostgresJobStoreOptions,
} from '../../daemon/store/postgres/jobs.js';
import type { CrashKind, StoreFailures, StoreHarness } from '../contracts/job-store/store-facts.js';
import type { PostgresServer } from './postgres.js';

/** A database for job stores. */
export interface PostgresStoreHarness extends StoreHarness {
  readonly failures: FailingStatements;
  /** The name of the database. */
  readonly database: string;
  readonly logLines: string[];
  open(options?: Partial<PostgresJobStoreOptions>): Promise<PostgresJobStore>;
  close(): Promise<void>;
}

const tables = ['jobs', 'removed_jobs', 'idempotency_keys', 'usage', 'removed_files'];
const clear = [...tables.map((table) => `delete from venc.${table}`), 'update venc.ids set last_id = 0'].join(
  ';',
);

/**
 * Returns a function that creates harnesses, each with an empty store. They share a database, which takes far less time than one for each:
 * creating a harness closes the previous one. With a queue, each store keeps the places of its jobs in it.
 */
export async function postgresHarnesses(
  server: PostgresServer,
  { hasQueue = false } = {},
): Promise<() => Promise<PostgresStoreHarness>> {
  const database = await server.createDatabase();
  await (await openPostgresDatabase(server.dsn(database), { log: () => undefined })).close();
  let previous: PostgresStoreHarness | null = null;
  return async () => {
    await previous?.close();
    await server.query(database, clear);
    if (hasQueue) await server.query(database, clearQueue);
    previous = createHarness(server, { database, hasQueue });
    return previous;
  };
}

function createHarness(
  server: PostgresServer,
  { database, hasQueue }: { readonly database: string; readonly hasQueue: boolean },
): PostgresStoreHarness {
  const open: Pick<PostgresDatabase, 'close'>[] = [];
  const logLines: string[] = [];
  const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
  const failures = new FailingStatements(server);
  const close = async () => {
    for (const one of open.splice(0)) await one.close();
  };
  return {
    database,
    failures,
    logLines,
    close,
    async open(options) {
      const one = await openPostgresDatabase(server.dsn(database), { log, runStatement: failures.run });
      open.push(one);
      if (!hasQueue) return createPostgresJobStore({ database: one, log, ...options });
      const engine = await startQueueEngine(one, log);
      open.unshift({ close: () => engine.close().catch(() => undefined) });
      await checkQueue(server, database);
      const { beforeCreate, onCreate, onUpdate } = new QueueEntries(one, engine);
      return createPostgresJobStore({
        ...{ database: one, log, beforeCreate, onCreate, onUpdate, ...options },
      });
    },
    async crash(kind) {
      await failures.crash(kind);
      await close();
      await server.restart();
      failures.reset();
    },
  };
}

const clearQueue = `do $$ begin
  delete from venc.queue_entries;
  if to_regclass('venc_queue.job') is not null then delete from venc_queue.job; end if;
end $$`;

/** Checks that exactly the jobs that have not ended have a place in the queue, and that the engine has the same. */
async function checkQueue(server: PostgresServer, database: string): Promise<void> {
  const idsOf = async (sql: string) => (await server.query(database, sql)).map(({ id }) => Number(id));
  const jobs = await idsOf(
    `select id from venc.jobs where state not in ('finished', 'failed', 'cancelled') order by id`,
  );
  assert.equal(await idsOf('select job_id as id from venc.queue_entries order by 1'), jobs);
  assert.equal(
    await idsOf(`select data->>'jobId' as id from venc_queue.job order by (data->>'jobId')::int`),
    jobs,
  );
}

const outOfSpace = `do $$ begin
  raise exception 'could not extend file: No space left on device' using errcode = '53100';
end $$`;

/**
 * Makes a chosen statement fail. A crash occurs after a statement was executed and before its result arrives. A crash of the process closes the connections; a crash of the machine kills the server, whose recovery finds what its log contains. Without
 * space, the server rejects a statement that writes, or a commit after one.
 */
export class FailingStatements implements StoreFailures {
  readonly #server: PostgresServer;
  #failure: { readonly kind: CrashKind | 'no-space' | 'lost'; stepsLeft: number } | null = null;
  #hasTriggered = false;
  #hasCrashed = false;
  #hasWritten = false;

  constructor(server: PostgresServer) {
    this.#server = server;
  }

  crashAt(step: number, kind: CrashKind): void {
    this.#failure = { kind, stepsLeft: step };
    this.#hasTriggered = false;
  }

  failWithoutSpaceAt(step: number): void {
    this.#failure = { kind: 'no-space', stepsLeft: step };
    this.#hasTriggered = false;
  }

  /**
   * Loses the connection at this step: before a statement, where the server terminates the connection, or after it, where its result does
   * not arrive.
   */
  loseConnectionAt(step: number): void {
    this.#failure = { kind: 'lost', stepsLeft: step };
    this.#hasTriggered = false;
  }

  get hasTriggered(): boolean {
    return this.#hasTriggered;
  }

  /** Makes every later statement fail until `reset`. */
  async crash(kind: CrashKind): Promise<void> {
    if (this.#hasCrashed) return;
    this.#hasCrashed = true;
    if (kind === 'machine') await this.#server.kill();
  }

  /** Lets statements run again. */
  reset(): void {
    this.#hasCrashed = false;
    this.#failure = null;
  }

  readonly run: StatementRunner = async ({ sql, run, cut }) => {
    if (sql === 'begin') this.#hasWritten = false;
    const isWrite = /^(insert|update|delete|with)\b/.test(sql);
    this.#hasWritten ||= isWrite;
    const canRunOutOfSpace = isWrite || (sql === 'commit' && this.#hasWritten);
    if (this.#failure?.kind === 'no-space')
      return canRunOutOfSpace && this.#isDue() ? run(outOfSpace) : run();
    if (this.#failure?.kind === 'lost') return this.#lose(run, cut);
    if (this.#hasCrashed) this.#fail(cut);
    const result = await run();
    const kind = this.#failure?.kind;
    if (kind !== undefined && this.#isDue()) await this.crash(kind);
    if (this.#hasCrashed) this.#fail(cut);
    return result;
  };

  async #lose(run: Statement['run'], cut: () => void): ReturnType<StatementRunner> {
    if (this.#isDue()) {
      const { rows } = await run('select pg_backend_pid() as pid');
      const [{ pid }] = rows as readonly [{ readonly pid: number }];
      await this.#server.query('postgres', `select pg_terminate_backend(${pid}, 10000)`);
      return run();
    }
    const result = await run();
    if (!this.#isDue()) return result;
    cut();
    throw new Error('Connection terminated unexpectedly');
  }

  #fail(cut: () => void): never {
    cut();
    throw new Error('The process has crashed.');
  }

  #isDue(): boolean {
    if (this.#failure === null) return false;
    this.#failure.stepsLeft -= 1;
    if (this.#failure.stepsLeft >= 0) return false;
    this.#failure = null;
    this.#hasTriggered = true;
    return true;
  }
}
