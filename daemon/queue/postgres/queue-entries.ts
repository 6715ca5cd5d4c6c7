import { createHash } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { isVencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import { queueMessageStatement, sendMessages } from '../../store/postgres/changes.js';
import type { PostgresDatabase } from '../../store/postgres/connection.js';
import { runAlone } from '../../store/postgres/locks.js';
import type { DatabaseTransaction } from '../../store/postgres/schema.js';
import { waitingJobOf } from '../job-parts.js';
import type { WaitingJob } from '../waiting-jobs.js';

/** A running job without a holder that reports. */
interface OverdueJob {
  readonly id: number;
  /** The claim that is lost. */
  readonly claim: string | null;
}

/**
 * Keeps the queues of the engine and the records of the jobs together: a change of a job and that of its place in the
 * queue are one transaction. A job stays in its queue until it is final, or waits again and needs something else.
 */
export class QueueEntries {
  readonly #database: PostgresDatabase;
  readonly #engine: QueueEngine;
  readonly #storedQueues = new Set<string>();

  constructor(database: PostgresDatabase, engine: QueueEngine) {
    this.#database = database;
    this.#engine = engine;
  }

  /** Creates the queue of a job that is about to be stored. For `PostgresJobStoreOptions.beforeCreate`. */
  readonly beforeCreate = async (preliminary: Job): Promise<void> => {
    const job = waitingJobOf(preliminary);
    const queue = queueOf(job);
    if (this.#storedQueues.has(queue)) return;
    await this.#createQueue(this.#database.queries, job, queue);
    this.#storedQueues.add(queue);
  };

  /** Adds a new job. For `PostgresJobStoreOptions.onCreate`. */
  readonly onCreate = (transaction: DatabaseTransaction, job: Job): Promise<void> =>
    this.#add(transaction, job);

  /** Follows a change of a job. For `PostgresJobStoreOptions.onUpdate`. */
  readonly onUpdate = async (transaction: DatabaseTransaction, job: Job, before: Job): Promise<void> => {
    const place = placeOf(job);
    const needsOther = () => queueOf(waitingJobOf(job)) !== queueOf(waitingJobOf(before));
    // A job that waits for some of its outputs and is resubmitted waits for those that failed as well.
    if (place === placeOf(before) && (place !== 'waiting' || !needsOther())) return;
    if (place === 'waiting') {
      await this.#add(transaction, job);
      return;
    }
    if (place === 'running') {
      const entry = transaction.updateTable('queue_entries').set({ is_waiting: false });
      await entry.where('job_id', '=', job.id).execute();
      return;
    }
    await this.#remove(transaction, job.id);
  };

  /** Adds the jobs that wait and are in no queue, as after they were copied into the database. */
  async addMissing(): Promise<void> {
    for (const { id } of await this.#withoutEntry('waiting'))
      await this.#database.queries.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom('jobs')
          .select(sql<string>`document::text`.as('document'))
          .where('id', '=', id)
          .where('state', '=', 'waiting')
          .forUpdate()
          .executeTakeFirst();
        if (row !== undefined) await this.#add(transaction, JSON.parse(row.document));
      });
  }

  /** The running jobs that the engine has given up, and those that are in no queue. */
  async overdue(): Promise<readonly OverdueJob[]> {
    const { queries } = this.#database;
    const given = await queries
      .selectFrom('queue_entries')
      .innerJoin('jobs', 'jobs.id', 'queue_entries.job_id')
      .select(['jobs.id', 'jobs.claim'])
      .where('queue_entries.is_waiting', '=', false)
      .where('jobs.state', '=', 'processing')
      .where(
        sql<boolean>`exists (
          select 1 from ${sql.table(`${engineSchema}.job`)} as entry
          where entry.name = queue_entries.queue and entry.state = 'retry' and entry.id =
            ('00000000-0000-4000-8000-' || lpad(to_hex(queue_entries.job_id), 12, '0'))::uuid)`,
      )
      .execute();
    const rows = [...given, ...(await this.#withoutEntry('processing'))];
    return rows.map(({ id, claim }) => ({ id: Number(id), claim }));
  }

  /**
   * The queues with jobs whose holders have not reported in time. Reads only jobs that run; with `all`, every job of
   * the engine: one may have been taken and not begun.
   */
  async overdueQueues({ all }: { readonly all: boolean }): Promise<readonly string[]> {
    const { rows } = await sql<{ name: string }>`
      select distinct entry.name from ${sql.table(`${engineSchema}.job`)} as entry
      ${
        all
          ? sql``
          : sql`join venc.queue_entries as running on not running.is_waiting and entry.name = running.queue and entry.id =
        ('00000000-0000-4000-8000-' || lpad(to_hex(running.job_id), 12, '0'))::uuid`
      }
      where entry.state = 'active' and entry.heartbeat_on + entry.heartbeat_seconds * interval '1 second' < now()`.execute(
      this.#database.queries,
    );
    return rows.map(({ name }) => name);
  }

  /** The queues without jobs. */
  async emptyQueues(): Promise<readonly string[]> {
    const rows = await this.#database.queries
      .selectFrom('queues')
      .select('name')
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('queue_entries').select('job_id').whereRef('queue', '=', 'queues.name'))),
      )
      .execute();
    return rows.map(({ name }) => name);
  }

  /** Deletes a queue if it has no jobs. */
  async deleteQueue(name: string): Promise<void> {
    await this.#database.queries.transaction().execute(async (transaction) => {
      // A create that has added a job and is not committed holds the row, see `insertEntry`; later ones wait for this
      // transaction.
      const queue = transaction.selectFrom('queues').select('name').where('name', '=', name).forUpdate();
      if ((await queue.executeTakeFirst()) === undefined) return;
      const entry = transaction.selectFrom('queue_entries').select('job_id').where('queue', '=', name);
      if ((await entry.limit(1).executeTakeFirst()) !== undefined) return;
      await this.#engine.deleteQueue(name);
      await transaction.deleteFrom('queues').where('name', '=', name).execute();
    });
    this.#storedQueues.delete(name);
  }

  /** Lets every daemon look for waiting jobs. */
  async notifyAll(): Promise<void> {
    await sendMessages(this.#database.queries, 'queue', [{}]);
  }

  #withoutEntry(state: 'waiting' | 'processing') {
    return this.#database.queries
      .selectFrom('jobs')
      .leftJoin('queue_entries', 'queue_entries.job_id', 'jobs.id')
      .select(['jobs.id', 'jobs.claim'])
      .where('jobs.state', '=', state)
      .where('queue_entries.job_id', 'is', null)
      .orderBy('jobs.id')
      .execute();
  }

  /** Lets a job wait: in the queue in which it is, or in a new place. */
  async #add(transaction: DatabaseTransaction, job: Job): Promise<void> {
    const waiting = waitingJobOf(job);
    const entry = { queue: queueOf(waiting), jobId: job.id, priority: waiting.priority };
    const known = await transaction
      .updateTable('queue_entries')
      .set({ is_waiting: true })
      .where('job_id', '=', job.id)
      .returning('queue')
      .executeTakeFirst();
    if (known !== undefined && known.queue !== entry.queue) await this.#remove(transaction, job.id);
    if (known?.queue !== entry.queue) {
      // Another process may have deleted the queue, which had no jobs.
      while (!(await insertEntry(transaction, entry)))
        await this.#createQueue(transaction, waiting, entry.queue);
      await this.#engine.add(transaction, entry);
    } else {
      await this.#engine.release(transaction, { queue: known.queue, jobId: job.id });
    }
    await sendMessages(transaction, 'queue', [{}]);
  }

  /** Removes a job from the queue that it is in, if any. */
  async #remove(transaction: DatabaseTransaction, jobId: number): Promise<void> {
    const entry = await transaction
      .deleteFrom('queue_entries')
      .where('job_id', '=', jobId)
      .returning('queue')
      .executeTakeFirst();
    if (entry !== undefined) await this.#engine.remove(transaction, { queue: entry.queue, jobId });
  }

  async #createQueue(
    queries: PostgresDatabase['queries'],
    { accountId, requires, needsKey }: WaitingJob,
    name: string,
  ): Promise<void> {
    await queries
      .insertInto('queues')
      .values({ name, account_id: accountId, requires: JSON.stringify(requires), needs: needsKey })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await this.#engine.createQueue(name);
  }
}

function placeOf({ state }: Job): 'waiting' | 'running' | 'none' {
  if (isFinal(state)) return 'none';
  return state === 'processing' ? 'running' : 'waiting';
}

/**
 * Inserts the place of a job and prevents until the end of the transaction that its queue is deleted; false if there is
 * no such queue.
 */
async function insertEntry(transaction: DatabaseTransaction, entry: QueueEntry): Promise<boolean> {
  const { rows } = await sql`
    insert into venc.queue_entries (job_id, queue, priority, is_waiting)
    select ${entry.jobId}, name, ${entry.priority}, true
    from (select name from venc.queues where name = ${entry.queue} for key share) as queue
    returning job_id`.execute(transaction);
  return rows.length > 0;
}

/** The name of a job's queue. The engine allows few characters in it. */
function queueOf({ accountId, requires, needsKey }: WaitingJob): string {
  const text = JSON.stringify([accountId, requires, needsKey]);
  return `venc-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** The schema of the database that the engine keeps its tables in. */
const engineSchema = 'venc_queue';

/** A job whose holder has not reported for this many seconds is given to another one. */
export const leaseSeconds = 30;

/** Connections of the engine: reports of holders must not wait for lists. */
const maxConnections = 3;

/** No time limit, in seconds. */
const unlimitedSeconds = 1_000_000_000;

/** An attempt to run a job, as the engine names it: `retryCount` changes when the job is given to another holder. */
export interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

/** A job that was taken from a queue of the engine. */
interface TakenJob extends Attempt {
  readonly jobId: number;
}

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
  /**
   * Lets the jobs of some queues wait again whose holders have not reported in time, and does what else the engine does
   * for all of them (null).
   */
  supervise(queues: readonly string[] | null): Promise<void>;
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
interface QueueEntry {
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
      await run(queueMessageStatement, []);
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
