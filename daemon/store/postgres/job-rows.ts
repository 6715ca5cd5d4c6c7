import { type Insertable, type Selectable, sql } from 'kysely';
import type { Job } from '../../jobs/job.js';
import { hostedFilesOf } from '../../jobs/thumbnails.js';
import { type JobDailyUsage, usageOf } from '../../jobs/usage.js';
import { idempotencyTtlMs } from '../job-store.js';
import { indexEntry } from '../jobs/index-entry.js';
import type { JobDocument } from '../jobs/job-document.js';
import type { RecentJobs } from '../jobs/recent-jobs.js';
import type { DatabaseTransaction, JobsTable, UsageTable } from './schema.js';

/** A job as queries select it. */
export type JobRow = Pick<Selectable<JobsTable>, 'id' | 'revision' | 'document'>;

/** The columns of a `JobRow`. */
export const jobColumns = ['id', 'revision', sql<string>`document::text`.as('document')] as const;

/** The channel that reports changed jobs. */
export const jobsChannel = 'venc_jobs';

/** A notification of the channel: which job has changed, to which revision, and by which store. */
export interface ChangeNotification {
  readonly id: number;
  readonly revision: number;
  readonly origin: string;
}

/** Parses the payload of a notification. */
export function parseNotification(payload: string): ChangeNotification {
  const [id = '', revision = '', origin = ''] = payload.split(' ');
  return { id: Number(id), revision: Number(revision), origin };
}

/** The columns of a job, except those that a change does not touch. */
export function columnsOf(
  revision: number,
  job: Job,
): Omit<Insertable<JobsTable>, 'id' | 'last_id' | 'changed_at'> {
  const { accountId, state, endedAtSeconds, hasNotifications } = indexEntry(job);
  return {
    account_id: accountId,
    state,
    created_at: new Date(job.createdAt),
    ended_at: endedAtSeconds === 0 ? null : new Date(endedAtSeconds * 1000),
    has_notifications: hasNotifications,
    claim: job.claim,
    revision,
    document: JSON.stringify(job),
  };
}

/** Thrown in the transaction of a create whose idempotency key is in use. */
export class KeyTakenError extends Error {}

/**
 * Takes the idempotency key of a new job. Throws `KeyTakenError` if a job that is less than 24 hours older has it. Waits for a transaction
 * that is taking the same key.
 */
export async function takeIdempotencyKey(transaction: DatabaseTransaction, job: Job): Promise<void> {
  const { idempotency, accountId, id, createdAt } = job;
  if (idempotency === null) return;
  const expiredAt = new Date(Date.parse(createdAt) - idempotencyTtlMs);
  const use = { job_id: id, created_at: new Date(createdAt) };
  const taken = await transaction
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key: idempotency.key, ...use })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'key'])
        .doUpdateSet(use)
        .where('idempotency_keys.created_at', '<=', expiredAt),
    )
    .returning('job_id')
    .executeTakeFirst();
  if (taken === undefined) throw new KeyTakenError(`The key of job ${id} is in use.`);
}

/** Inserts a new job and notifies the other stores when the transaction is committed. */
export async function insertJob(
  transaction: DatabaseTransaction,
  { revision, job }: JobDocument,
  { lastId, origin }: { readonly lastId: number; readonly origin: string },
): Promise<void> {
  await transaction
    .with('inserted', (queries) =>
      queries
        .insertInto('jobs')
        .values({ id: job.id, last_id: lastId, ...columnsOf(revision, job) })
        .returning('id'),
    )
    .selectFrom('inserted')
    .select(notifyOf({ id: job.id, revision, origin }))
    .execute();
  await writeUsage(transaction, job);
}

/** Replaces a job whose row the transaction has locked, and notifies the other stores when it is committed. */
export async function replaceJob(
  transaction: DatabaseTransaction,
  before: Job,
  { revision, job }: JobDocument,
  origin: string,
): Promise<void> {
  await transaction
    .with('updated', (queries) =>
      queries
        .updateTable('jobs')
        .set({ ...columnsOf(revision, job), changed_at: sql`clock_timestamp()` })
        .where('id', '=', job.id)
        .returning('id'),
    )
    .selectFrom('updated')
    .select(notifyOf({ id: job.id, revision, origin }))
    .execute();
  const hasSameUsage = JSON.stringify(usageOf(before)) === JSON.stringify(usageOf(job));
  if (hasSameUsage && before.accountId === job.accountId) return;
  await transaction.deleteFrom('usage').where('job_id', '=', job.id).execute();
  await writeUsage(transaction, job);
}

/** Deletes a job whose row the transaction has locked. Its usage stays, its key is released, and its hosted files are recorded. */
export async function deleteJob(transaction: DatabaseTransaction, job: Job): Promise<void> {
  const { id } = job;
  await transaction.deleteFrom('idempotency_keys').where('job_id', '=', id).execute();
  await transaction.deleteFrom('jobs').where('id', '=', id).execute();
  const files = [...new Set(hostedFilesOf(job))].map((url) => ({ job_id: id, url }));
  if (files.length > 0) await transaction.insertInto('removed_files').values(files).execute();
}

function notifyOf({ id, revision, origin }: ChangeNotification) {
  return sql`pg_notify(${jobsChannel}, ${`${id} ${revision} ${origin}`})`.as('notified');
}

async function writeUsage(transaction: DatabaseTransaction, job: Job): Promise<void> {
  const { id, accountId } = job;
  const rows = usageRowsOf({ id, accountId, usage: usageOf(job) });
  if (rows.length > 0) await transaction.insertInto('usage').values(rows).execute();
}

/** The usage of one job. */
export interface UsageOfJob {
  readonly id: number;
  readonly accountId: string;
  readonly usage: readonly JobDailyUsage[];
}

/** The rows of the usage of a job. */
export function usageRowsOf({ id, accountId, usage }: UsageOfJob): readonly Insertable<UsageTable>[] {
  return usage.map(({ day, grouping, encodedMs, billableMs }) => ({
    job_id: id,
    account_id: accountId,
    day,
    grouping: JSON.stringify(grouping),
    encoded_ms: encodedMs,
    billable_ms: billableMs,
  }));
}

/**
 * The job of a row. A revision that is known is not parsed again, and is the same object. If a newer one is known, because a change of this
 * process was committed after the query, it is returned.
 */
export function readJobRow({ id, revision, document }: JobRow, recent: RecentJobs): JobDocument {
  const known = recent.get(Number(id));
  if (known !== undefined && known.revision >= revision) return known;
  const found: JobDocument = { revision, job: JSON.parse(document) as Job };
  recent.set(found, document.length);
  return found;
}
