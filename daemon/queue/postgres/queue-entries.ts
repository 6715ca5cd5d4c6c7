import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { isFinal } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { sendMessages } from '../../store/postgres/changes.js';
import type { PostgresDatabase } from '../../store/postgres/connection.js';
import type { DatabaseTransaction } from '../../store/postgres/schema.js';
import { waitingJobOf } from '../job-parts.js';
import type { WaitingJob } from '../waiting-jobs.js';
import { type HeldAttempt, leaseSeconds, type QueueEngine, type QueueEntry } from './engine.js';

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

  /**
   * Ends the leases of jobs whose holders have not reported in time. Those that were taken and not begun wait again.
   * Resolves to the running jobs that nobody holds now, and those that are in no queue.
   */
  async expire(): Promise<readonly OverdueJob[]> {
    const { queries } = this.#database;
    await queries.transaction().execute(async (transaction) => {
      const expired = await transaction
        .updateTable('queue_entries')
        .set({ reported_at: null })
        .where(sql<boolean>`reported_at < now() - ${leaseSeconds} * interval '1 second'`)
        .returning(['job_id', 'queue', 'is_waiting'])
        .execute();
      const waiting = expired.filter(({ is_waiting }) => is_waiting);
      for (const { queue, job_id } of waiting)
        await this.#engine.release(transaction, { queue, jobId: Number(job_id) });
      if (waiting.length > 0) await sendMessages(transaction, 'queue', [{}]);
    });
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
    return new Set(await this.#engine.report(attempts));
  }

  /** Lets a job wait again that this process took and did not begin; no-op if it has lost the job. */
  async requeueOwnJob({ jobId, attempt }: HeldAttempt): Promise<void> {
    await this.#database.queries.transaction().execute(async (transaction) => {
      const entry = await transaction
        .updateTable('queue_entries')
        .set({ reported_at: null })
        .where('job_id', '=', jobId)
        .where('attempt', '=', attempt)
        .where('reported_at', 'is not', null)
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
      .orderBy('jobs.id')
      .execute();
  }

  /** Lets a job wait: in the queue in which it is, or in a new place. */
  async #add(transaction: DatabaseTransaction, job: Job): Promise<void> {
    const waiting = waitingJobOf(job);
    const entry = { queue: queueOf(waiting), jobId: job.id, priority: waiting.priority };
    if ((await queueWith(transaction, job.id)) === entry.queue) {
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
    const queue = await queueWith(transaction, jobId);
    if (queue === null) return;
    await this.#engine.remove(transaction, { queue, jobId });
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

function placeOf({ state }: Job): 'waiting' | 'running' | 'none' {
  if (isFinal(state)) return 'none';
  return state === 'processing' ? 'running' : 'waiting';
}

/** The queue that a job is in; null if none. It changes only in transactions that have locked the record of the job. */
async function queueWith(transaction: DatabaseTransaction, jobId: number): Promise<string | null> {
  const entry = transaction.selectFrom('queue_entries').select('queue').where('job_id', '=', jobId);
  return (await entry.executeTakeFirst())?.queue ?? null;
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
