import { CompiledQuery } from 'kysely';
import { PgBoss } from 'pg-boss';
import { isVencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import type { PostgresDatabase } from '../../store/postgres/connection.js';
import { runAlone } from '../../store/postgres/locks.js';
import type { DatabaseTransaction } from '../../store/postgres/schema.js';

/** The schema of the database that the engine keeps its tables in. */
const engineSchema = 'venc_queue';

/** Connections of the engine: a create must not wait for lists. */
const maxConnections = 2;

/** No time limit, in seconds. */
const unlimitedSeconds = 1_000_000_000;

/**
 * The engine of the queue, pg-boss, as far as this program uses it. Every method that changes a job may run in a
 * transaction of the store.
 */
export interface QueueEngine {
  /** Creates a queue; no-op if it exists. */
  createQueue(name: string): Promise<void>;
  /** Adds a job to a queue; no-op if it is there. */
  add(transaction: DatabaseTransaction, entry: QueueEntry): Promise<void>;
  /** Lets a job wait again, at its old place. */
  release(transaction: DatabaseTransaction, entry: Pick<QueueEntry, 'queue' | 'jobId'>): Promise<void>;
  /** Removes a job from a queue; no-op if absent. */
  remove(transaction: DatabaseTransaction, entry: Pick<QueueEntry, 'queue' | 'jobId'>): Promise<void>;
  /** Takes the first job of a queue; null if none waits. */
  take(transaction: DatabaseTransaction, queue: string): Promise<number | null>;
  /** Deletes an empty queue; no-op if there is none. */
  deleteQueue(name: string): Promise<void>;
  /**
   * Does what a create of a job with new needs does, and changes nothing. Rejects if that fails. Uses one connection at
   * most.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The queue that `check` creates. It never has a job. */
const checkQueue = 'venc-check';

/** The place of a job in the queues. */
export interface QueueEntry {
  readonly queue: string;
  readonly jobId: number;
  readonly priority: number;
}

/** The name of a job in the engine. */
function engineId(jobId: number): string {
  return `00000000-0000-4000-8000-${jobId.toString(16).padStart(12, '0')}`;
}

/** Starts the engine: creates or updates its tables. Rejects as `openPostgresDatabase` does. */
export async function startQueueEngine(database: PostgresDatabase, log: Log): Promise<QueueEngine> {
  const run = database.openStatements(maxConnections);
  const boss = new PgBoss({
    db: { executeSql: (sql, parameters = []) => run(sql, parameters) as Promise<{ rows: never[] }> },
    schema: engineSchema,
    // It would only delete what has ended, and of ended jobs nothing is kept.
    supervise: false,
    schedule: false,
    // Its warning is about the length of queues.
    warningQueueSize: Number.MAX_SAFE_INTEGER,
    monitorIntervalSeconds: 1,
  });
  boss.on('error', (error) => {
    if (!isVencError(error, 'UnavailableError')) log('warn', `The queue reports: ${error.message}`);
  });
  // Of two that create the tables at once, one would fail.
  await runAlone(database.queries, () => boss.start());
  let checking: Promise<void> | null = null;
  return {
    createQueue: (name) => boss.createQueue(name),
    async add(transaction, { queue, jobId, priority }) {
      const entry = {
        ...{ id: engineId(jobId), data: { jobId }, priority },
        ...{ retryLimit: unlimitedSeconds, retryDelay: 0, expireInSeconds: unlimitedSeconds },
        retentionSeconds: unlimitedSeconds,
      };
      const insert = () => boss.insert(queue, [entry], { db: within(transaction), returnId: true });
      if (((await insert()) ?? []).length > 0) return;
      // Either the job is in the queue already, or a process that was killed has deleted the queue.
      await boss.createQueue(queue);
      await insert();
    },
    async release(transaction, { queue, jobId }) {
      await boss.fail(queue, engineId(jobId), null, { db: within(transaction) });
    },
    async remove(transaction, { queue, jobId }) {
      await boss.deleteJob(queue, engineId(jobId), { db: within(transaction) });
    },
    async take(transaction, queue) {
      const [job] = await boss.fetch<{ readonly jobId: number }>(queue, { db: within(transaction) });
      return job === undefined ? null : job.data.jobId;
    },
    deleteQueue: (name) => boss.deleteQueue(name),
    check() {
      checking ??= boss.createQueue(checkQueue).finally(() => {
        checking = null;
      });
      return checking;
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** Lets the engine run its statements in a transaction of the store. */
function within(transaction: DatabaseTransaction) {
  return {
    async executeSql(text: string, parameters: unknown[] = []) {
      const { rows } = await transaction.executeQuery(CompiledQuery.raw(text, parameters));
      return { rows: rows as never[] };
    },
  };
}
