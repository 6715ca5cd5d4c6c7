import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { isFinal } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { sendMessages } from '../../store/postgres/changes.js';
import type { PostgresDatabase } from '../../store/postgres/connection.js';
import type { DatabaseTransaction } from '../../store/postgres/schema.js';
import { waitingJobOf } from '../parts/job-parts.js';
import type { WaitingJob } from '../waiting-jobs.js';
import type { QueueEngine, QueueEntry } from './engine.js';

/** A job whose holder has not reported for this many seconds is given to another one. */
export const leaseSeconds = 30;

/** An attempt to run a job. Its number grows each time that the job is given to a holder. */
export interface HeldAttempt {
  readonly jobId: number;
  readonly attempt: number;
}

/** A running job without a holder that reports. */
interface OverdueJob {
  readonly id: number;
  /** The claim that is lost. */
  readonly claim: string | null;
}

const isOverdue = sql<boolean>`reported_at < now() - ${leaseSeconds} * interval '1 second'`;

/** A paused job that does not run is in no queue. */
const isNotPaused = sql<boolean>`jobs.document->>'isPaused' is null`;

/**
 * Keeps the queues of the engine and the records of the jobs together: a change of a job and that of its place in the
 * queue are one transaction. A job stays in its queue until it is final, or waits again and needs something else.
 */
export class QueueEntries {
  readonly #database: PostgresDatabase;
  readonly #engine: QueueEngine;
  /** A connection of its own: reports must not wait for lists. */
  readonly #reportStatement: ReturnType<PostgresDatabase['openStatements']>;
  readonly #storedQueues = new Set<string>();

  constructor(database: PostgresDatabase, engine: QueueEngine) {
    this.#database = database;
    this.#engine = engine;
    this.#reportStatement = database.openStatements(1);
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
    const isMoved = () => {
      const [now, then] = [waitingJobOf(job), waitingJobOf(before)];
      return queueOf(now) !== queueOf(then) || now.priority !== then.priority;
    };
    // A job that waits for some of its outputs and is resubmitted waits for those that failed as well.
    if (place === placeOf(before) && (place !== 'waiting' || !isMoved())) return;
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
          .where(isNotPaused)
          .forUpdate()
          .executeTakeFirst();
        if (row !== undefined) await this.#add(transaction, JSON.parse(row.document));
      });
  }

  /**
   * Ends the leases of jobs whose holders have not reported in time. Those that were taken and not begun wait again.
   * Resolves to the running jobs that nobody holds now, and those that are in no queue.
   */
  async expire(): Promise<readonly OverdueJob[]> {
    const { queries } = this.#database;
    await queries
      .updateTable('queue_entries')
      .set({ reported_at: null })
      .where(isOverdue)
      .where('is_waiting', '=', false)
      .execute();
    const notBegun = await queries
      .selectFrom('queue_entries')
      .select('job_id')
      .where(isOverdue)
      .where('is_waiting', '=', true)
      .execute();
    for (const { job_id } of notBegun) await this.#giveBack(Number(job_id), sql`is_waiting and ${isOverdue}`);
    const unheld = await queries
      .selectFrom('queue_entries')
      .innerJoin('jobs', 'jobs.id', 'queue_entries.job_id')
      .select(['jobs.id', 'jobs.claim'])
      .where('queue_entries.is_waiting', '=', false)
      .where('queue_entries.reported_at', 'is', null)
      .where('jobs.state', '=', 'processing')
      .execute();
    const rows = [...unheld, ...(await this.#withoutEntry('processing'))];
    return rows.map(({ id, claim }) => ({ id: Number(id), claim }));
  }

  /** Takes the first job of a queue; null if none waits. Locks the job of the engine before its entry, as `#remove`. */
  async take(queue: string): Promise<HeldAttempt | null> {
    return this.#database.queries.transaction().execute(async (transaction) => {
      const jobId = await this.#engine.take(transaction, queue);
      if (jobId === null) return null;
      const { attempt } = await transaction
        .updateTable('queue_entries')
        .set({ attempt: sql`attempt + 1`, reported_at: sql`now()` })
        .where('job_id', '=', jobId)
        .returning('attempt')
        .executeTakeFirstOrThrow();
      return { jobId, attempt };
    });
  }

  /** The attempt that runs a job; null if none does. */
  async attemptOf(jobId: number): Promise<HeldAttempt | null> {
    const entry = await this.#database.queries
      .selectFrom('queue_entries')
      .select('attempt')
      .where('job_id', '=', jobId)
      .where('reported_at', 'is not', null)
      .executeTakeFirst();
    return entry === undefined ? null : { jobId, attempt: entry.attempt };
  }

  /** Reports that jobs are still held. Resolves to the ids of those that are. */
  async touch(attempts: readonly HeldAttempt[]): Promise<ReadonlySet<number>> {
    const ids = attempts.map(({ jobId }) => jobId);
    const numbers = attempts.map(({ attempt }) => attempt);
    const { rows } = await this.#reportStatement(
      `update venc.queue_entries set reported_at = now()
      from unnest($1::bigint[], $2::integer[]) as held (id, number)
      where job_id = held.id and attempt = held.number and reported_at is not null
      returning job_id`,
      [ids, numbers],
    );
    return new Set(rows.map((row) => Number((row as { readonly job_id: string }).job_id)));
  }

  /** Lets a job wait again that this process took and did not begin; no-op if it has lost the job. */
  async requeueOwnJob({ jobId, attempt }: HeldAttempt): Promise<void> {
    await this.#giveBack(jobId, sql<boolean>`attempt = ${attempt}`);
  }

  /** Lets a job wait again that was taken and not begun; no-op if its holder is not the one of the condition. */
  async #giveBack(jobId: number, isHolder: RawBuilder<boolean>): Promise<void> {
    await this.#database.queries.transaction().execute(async (transaction) => {
      // Before the entry, as every change of a job does.
      await transaction.selectFrom('jobs').select('id').where('id', '=', jobId).forUpdate().execute();
      const entry = await transaction
        .updateTable('queue_entries')
        .set({ reported_at: null })
        .where('job_id', '=', jobId)
        .where('reported_at', 'is not', null)
        .where(isHolder)
        .returning('queue')
        .executeTakeFirst();
      if (entry === undefined) return;
      await this.#engine.release(transaction, { queue: entry.queue, jobId });
      // A daemon may have looked for jobs in the meantime, and found none.
      await sendMessages(transaction, 'queue', [{}]);
    });
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

  #withoutEntry(state: 'waiting' | 'processing') {
    return this.#database.queries
      .selectFrom('jobs')
      .leftJoin('queue_entries', 'queue_entries.job_id', 'jobs.id')
      .select(['jobs.id', 'jobs.claim'])
      .where('jobs.state', '=', state)
      .where('queue_entries.job_id', 'is', null)
      .where(({ or, eb }) => or([eb('jobs.state', '=', 'processing'), isNotPaused]))
      .orderBy('jobs.id')
      .execute();
  }

  /** Lets a job wait: in the queue in which it is, or in a new place. */
  async #add(transaction: DatabaseTransaction, job: Job): Promise<void> {
    const waiting = waitingJobOf(job);
    const entry = { queue: queueOf(waiting), jobId: job.id, priority: waiting.priority };
    const place = await placeWith(transaction, job.id);
    if (place?.queue === entry.queue && place.priority === entry.priority) {
      await transaction
        .updateTable('queue_entries')
        .set({ is_waiting: true, reported_at: null })
        .where('job_id', '=', job.id)
        .execute();
      await this.#engine.release(transaction, entry);
    } else {
      await this.#remove(transaction, job.id);
      // Another process may have deleted the queue, which had no jobs.
      while (!(await insertEntry(transaction, entry)))
        await this.#createQueue(transaction, waiting, entry.queue);
      await this.#engine.add(transaction, entry);
    }
    await sendMessages(transaction, 'queue', [{}]);
  }

  /** Removes a job from the queue that it is in, if any: from the engine first, which is the order of `take`. */
  async #remove(transaction: DatabaseTransaction, jobId: number): Promise<void> {
    const place = await placeWith(transaction, jobId);
    if (place === null) return;
    await this.#engine.remove(transaction, { queue: place.queue, jobId });
    await transaction.deleteFrom('queue_entries').where('job_id', '=', jobId).execute();
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

function placeOf({ state, isPaused }: Job): 'waiting' | 'running' | 'none' {
  if (isFinal(state) || (isPaused === true && state !== 'processing')) return 'none';
  return state === 'processing' ? 'running' : 'waiting';
}

/** The place of a job in the queues; null if none. It changes only in transactions that have locked its record. */
async function placeWith(
  transaction: DatabaseTransaction,
  jobId: number,
): Promise<Omit<QueueEntry, 'jobId'> | null> {
  const entry = transaction
    .selectFrom('queue_entries')
    .select(['queue', 'priority'])
    .where('job_id', '=', jobId);
  return (await entry.executeTakeFirst()) ?? null;
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
