import { CompiledQuery, sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { isVencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { runAlone } from '../../store/postgres/database-lock.js';
import type { PostgresDatabase } from '../../store/postgres/open-database.js';
import type { DatabaseTransaction } from '../../store/postgres/schema.js';

/** The schema of the database that the engine keeps its tables in. */
export const engineSchema = 'venc_queue';

/** The channel that reports that a job waits. */
export const queueChannel = 'venc_queue';

/** A job whose holder has not reported for this many seconds is given to another one. */
export const leaseSeconds = 30;

/** Connections of the engine: reports of holders must not wait for lists. */
const maxConnections = 3;

/** As good as for ever, in seconds: jobs wait as long as they have to, and holders report as long as they run. */
const unlimitedSeconds = 1_000_000_000;

/** An attempt to run a job, as the engine names it: `retryCount` changes when the job is given to another holder. */
export interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

/** A job that was taken from a queue of the engine. */
export interface TakenJob extends Attempt {
  readonly jobId: number;
}

/** The engine of the queue, pg-boss, as far as this program uses it. Every method that changes a job may run in a transaction of the store. */
export interface QueueEngine {
  /** Creates a queue; no-op if it exists. */
  createQueue(name: string): Promise<void>;
  /** Adds a job to a queue; no-op if it is there. */
  add(transaction: DatabaseTransaction, entry: QueueEntry): Promise<void>;
  /** Lets a job wait again, at its old place. */
  release(transaction: DatabaseTransaction, entry: Pick<QueueEntry, 'queue' | 'jobId'>): Promise<void>;
  /** Lets a job wait again that this process holds; no-op if it has lost the job. */
  requeueOwnJob(queue: string, attempt: Attempt): Promise<void>;
  /** Removes a job from a queue; no-op if absent. */
  remove(transaction: DatabaseTransaction, entry: Pick<QueueEntry, 'queue' | 'jobId'>): Promise<void>;
  /** Takes the first job of a queue; null if none waits. */
  take(queue: string): Promise<TakenJob | null>;
  /** Reports that jobs of a queue are still held. Resolves to those that are. */
  touch(queue: string, attempts: readonly Attempt[]): Promise<readonly Attempt[]>;
  /** The attempt that runs a job, and its queue; null if none does. */
  attemptOf(database: PostgresDatabase, jobId: number): Promise<{ queue: string; attempt: Attempt } | null>;
  /** Lets the jobs of some queues wait again whose holders have not reported in time, and does what else the engine does for all of them (null). */
  supervise(queues: readonly string[] | null): Promise<void>;
  /** Deletes an empty queue; no-op if there is none. */
  deleteQueue(name: string): Promise<void>;
  /** Does what a create of a job with new needs does, and changes nothing. Rejects if that fails. Uses one connection at most. */
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
export function engineId(jobId: number): string {
  return `00000000-0000-4000-8000-${jobId.toString(16).padStart(12, '0')}`;
}

/** Starts the engine: creates or updates its tables. Rejects as `openPostgresDatabase` does. */
export async function startQueueEngine(database: PostgresDatabase, log: Log): Promise<QueueEngine> {
  const run = database.openStatements(maxConnections);
  const boss = new PgBoss({
    db: { executeSql: (sql, parameters = []) => run(sql, parameters) as Promise<{ rows: never[] }> },
    schema: engineSchema,
    // The leader supervises, and only while holders can report.
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
        ...{ id: engineId(jobId), data: { jobId }, priority, heartbeatSeconds: leaseSeconds },
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
    async requeueOwnJob(queue, attempt) {
      await boss.fail(queue, attempt, null);
      // A daemon may have looked for jobs in the meantime, and found none.
      await run(`select pg_notify('${queueChannel}', '')`, []);
    },
    async remove(transaction, { queue, jobId }) {
      await boss.deleteJob(queue, engineId(jobId), { db: within(transaction) });
    },
    async take(queue) {
      const [job] = await boss.fetch<{ readonly jobId: number }>(queue);
      if (job === undefined) return null;
      return { id: job.id, retryCount: job.retryCount, jobId: job.data.jobId };
    },
    async touch(queue, attempts) {
      // Its type lacks the fields of the answer.
      const touch = async (some: readonly Attempt[]) =>
        (await boss.touch(queue, [...some])) as { readonly affected: number };
      if ((await touch(attempts)).affected === attempts.length) return attempts;
      const held: Attempt[] = [];
      for (const attempt of attempts) if ((await touch([attempt])).affected === 1) held.push(attempt);
      return held;
    },
    async attemptOf({ queries }, jobId) {
      const { rows } = await sql<{ queue: string; id: string; count: number }>`
        select entries.queue, running.id, running.retry_count as count
        from venc.queue_entries as entries
        join ${sql.table(`${engineSchema}.job`)} as running on running.name = entries.queue
        where entries.job_id = ${jobId} and running.id = ${engineId(jobId)} and running.state = 'active'`.execute(
        queries,
      );
      const [row] = rows;
      return row === undefined ? null : { queue: row.queue, attempt: { id: row.id, retryCount: row.count } };
    },
    async supervise(queues) {
      if (queues === null) return boss.supervise();
      for (const queue of queues) await boss.supervise(queue);
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
