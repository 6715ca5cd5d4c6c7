import { type Insertable, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { finalJobStates, jobStates } from '../../../src/shared/states.js';
import type { Job, JobOutput } from '../../jobs/job.js';
import { hostedFilesOf } from '../../jobs/thumbnails.js';
import { type JobDailyUsage, usageOf } from '../../jobs/usage.js';
import {
  type AccountDailyUsage,
  idempotencyTtlMs,
  type JobFilter,
  type RemovableFilter,
  type UsageFilter,
} from '../job-store.js';
import { indexEntry } from '../jobs/index-entry.js';
import type { RecentJobs } from '../jobs/job-cache.js';
import type { JobDocument } from '../jobs/job-document.js';
import { sending, sendMessages } from './changes.js';
import type { PostgresDatabase } from './connection.js';
import type { DatabaseSchema, DatabaseTransaction, JobsTable, UsageTable } from './schema.js';

/** A job as queries select it. */
export type JobRow = Pick<Selectable<JobsTable>, 'id' | 'revision' | 'document'>;

/** The columns of a `JobRow`. */
export const jobColumns = ['id', 'revision', sql<string>`document::text`.as('document')] as const;

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
 * Takes the idempotency key of a new job. Throws `KeyTakenError` if a job that is less than 24 hours older has it.
 * Waits for a transaction that is taking the same key.
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
    .select(sending('job', { id: job.id, origin }).as('sent'))
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
    .select(sending('job', { id: job.id, origin }).as('sent'))
    .execute();
  const hasSameUsage = JSON.stringify(usageOf(before)) === JSON.stringify(usageOf(job));
  if (hasSameUsage && before.accountId === job.accountId) return;
  await transaction.deleteFrom('usage').where('job_id', '=', job.id).execute();
  await writeUsage(transaction, job);
}

/**
 * Deletes a job whose row the transaction has locked, and notifies the other stores when it is committed. Its usage
 * stays, its key is released, and its hosted files are recorded.
 */
export async function deleteJob(transaction: DatabaseTransaction, job: Job, origin: string): Promise<void> {
  const { id } = job;
  await transaction.deleteFrom('idempotency_keys').where('job_id', '=', id).execute();
  await transaction.deleteFrom('jobs').where('id', '=', id).execute();
  const files = [...new Set(hostedFilesOf(job))].map((url) => ({ job_id: id, url }));
  if (files.length > 0) await transaction.insertInto('removed_files').values(files).execute();
  await sendMessages(transaction, 'job', [{ id, origin, removedFrom: job.accountId }]);
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
 * The job of a row. A revision that is known is not parsed again, and is the same object. If a newer one is known,
 * because a change of this process was committed after the query, it is returned.
 */
export function readJobRow({ id, revision, document }: JobRow, recent: RecentJobs): JobDocument {
  const known = recent.get(Number(id));
  if (known !== undefined && known.revision >= revision) return known;
  const found: JobDocument = { revision, job: JSON.parse(document) as Job };
  recent.add(found, document.length);
  return found;
}

type Queries = PostgresDatabase['queries'];

const activeStates = jobStates.filter((state) => !(finalJobStates as readonly string[]).includes(state));

/** A number of jobs that is the sum of more changes than this is added up. */
const maxChanges = 20;

/** The row of a job. */
export function selectJob(queries: Queries, id: number): Promise<JobRow | undefined> {
  return queries.selectFrom('jobs').select(jobColumns).where('id', '=', id).executeTakeFirst();
}

/** The rows of jobs, newest first. */
export async function selectJobs(queries: Queries, ids: readonly number[]): Promise<readonly JobRow[]> {
  if (ids.length === 0) return [];
  return queries.selectFrom('jobs').select(jobColumns).where('id', 'in', ids).orderBy('id', 'desc').execute();
}

/** The row of the job whose block of ids contains this one after the job's own id. */
export async function selectJobOfFile(queries: Queries, fileId: number): Promise<JobRow | undefined> {
  const row = await queries
    .selectFrom('jobs')
    .select([...jobColumns, 'last_id'])
    .where('id', '<', fileId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && Number(row.last_id) >= fileId ? row : undefined;
}

/** The row of the job that an account created last under an idempotency key, after `since`. */
export function selectJobOfKey(
  queries: Queries,
  { accountId, key, since }: { readonly accountId: string; readonly key: string; readonly since: Date },
): Promise<JobRow | undefined> {
  const ids = queries
    .selectFrom('idempotency_keys')
    .select('job_id')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('created_at', '>', since);
  return queries.selectFrom('jobs').select(jobColumns).where('id', '=', ids).executeTakeFirst();
}

/** The rows of one page, newest first, and the number of all matching jobs. */
export async function selectPage(
  queries: Queries,
  filter: JobFilter,
): Promise<{ readonly rows: readonly JobRow[]; readonly total: number }> {
  const { offset, limit, accountId, state } = filter;
  const [rows, counted] = await Promise.all([
    matching(queries, filter).select(jobColumns).orderBy('id', 'desc').offset(offset).limit(limit).execute(),
    queries
      .selectFrom('job_counts')
      .select(({ fn }) => fn.sum<string | null>('change').as('total'))
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? ''))
      .executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(counted.total ?? 0) };
}

/** The number of jobs of an account that wait, also those of this transaction. */
export async function countWaiting(queries: Queries, accountId: string): Promise<number> {
  const counted = await queries
    .selectFrom('job_counts')
    .select(({ fn }) => fn.sum<string | null>('change').as('total'))
    .where('account_id', '=', accountId)
    .where('state', 'in', ['pending', 'waiting'])
    .executeTakeFirstOrThrow();
  return Number(counted.total ?? 0);
}

/** The finished outputs of an account that are hosted, or were in the last year. */
export async function selectHostedOutputs(
  queries: Queries,
  accountId: string,
): Promise<readonly JobOutput[]> {
  const { rows } = await sql<{ output: string }>`
    select output from venc.jobs, json_array_elements(document->'outputs') as output
    where account_id = ${accountId} and changed_at > now() - interval '366 days'
      and output->>'state' = 'finished' and output->>'destination' like 'hosted:%'`.execute(queries);
  return rows.map(({ output }) => (typeof output === 'string' ? JSON.parse(output) : output) as JobOutput);
}

/** Adds up the changes of numbers that have many. The result of a count is the same before and afterwards. */
export async function mergeJobCounts(queries: Queries): Promise<void> {
  await sql`
    with merged as (
      delete from venc.job_counts where (account_id, state) in (
        select account_id, state from venc.job_counts group by account_id, state having count(*) > ${maxChanges}
      ) returning *
    )
    insert into venc.job_counts
    select account_id, state, sum(change) from merged group by account_id, state`.execute(queries);
}

function matching(
  queries: Queries,
  { accountId, state }: JobFilter,
): SelectQueryBuilder<DatabaseSchema, 'jobs', object> {
  const all = queries.selectFrom('jobs');
  const ofAccount = accountId === undefined ? all : all.where('account_id', '=', accountId);
  return state === undefined ? ofAccount : ofAccount.where('state', '=', state);
}

/** The rows of all jobs that are not final, oldest first. */
export function selectActive(queries: Queries): Promise<readonly JobRow[]> {
  return queries
    .selectFrom('jobs')
    .select(jobColumns)
    .where('state', 'in', activeStates)
    .orderBy('id')
    .execute();
}

/** The rows of all jobs with pending notifications, oldest first. */
export function selectWithNotifications(queries: Queries): Promise<readonly JobRow[]> {
  return queries
    .selectFrom('jobs')
    .select(jobColumns)
    .where('has_notifications', '=', true)
    .orderBy('id')
    .execute();
}

/** The ids of all jobs that changed at or after a time of the server, in the order of their changes. */
export async function selectChangedSince(queries: Queries, since: Date): Promise<readonly number[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select('id')
    .where('changed_at', '>=', since)
    .orderBy('changed_at')
    .execute();
  return rows.map(({ id }) => Number(id));
}

/** See `JobStore.listRemovable`. */
export async function selectRemovable(
  queries: Queries,
  { endedBefore, maxCount, limit }: RemovableFilter,
): Promise<readonly number[]> {
  const removable = queries
    .selectFrom('jobs')
    .where('ended_at', 'is not', null)
    .where('has_notifications', '=', false);
  const rows = await removable
    .select(['id', 'ended_at'])
    .orderBy('ended_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  let excess = 0;
  if (maxCount !== null) {
    const counted = await removable
      .select(({ fn }) => fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    excess = Number(counted.total) - maxCount;
  }
  const endedBeforeMs = endedBefore?.getTime() ?? 0;
  return rows
    .filter(({ ended_at: endedAt }, position) => position < excess || Number(endedAt) < endedBeforeMs)
    .map(({ id }) => Number(id));
}

/** See `JobStore.usage`. */
export async function selectUsage(
  queries: Queries,
  { accountId, from, to }: UsageFilter,
): Promise<readonly AccountDailyUsage[]> {
  const rows = await queries
    .selectFrom('usage')
    .select(({ fn }) => [
      'day',
      'grouping',
      fn.sum<string>('encoded_ms').as('encoded_ms'),
      fn.sum<string>('billable_ms').as('billable_ms'),
    ])
    .where('account_id', '=', accountId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy(['day', 'grouping'])
    .execute();
  return rows
    .map(({ day, grouping, encoded_ms: encodedMs, billable_ms: billableMs }) => ({
      day,
      grouping: JSON.parse(grouping) as string | null,
      encodedMs: Number(encodedMs),
      billableMs: Number(billableMs),
    }))
    .sort((a, b) => compare(a.day, b.day) || compare(a.grouping, b.grouping));
}

/** null first, then by UTF-16 code units, as in the embedded store. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

/** Assigns consecutive ids and returns the first. */
export async function allocateIds(queries: Queries, count: number): Promise<number> {
  // A statement of its own, so that creates do not wait for each other's commit. It need not wait for the disk: the
  // commit of the job, which does, makes everything before it durable.
  const { last_id: lastId } = await queries
    .with('relaxed', (inner) =>
      inner.selectNoFrom(sql<string>`set_config('synchronous_commit', 'off', true)`.as('setting')),
    )
    .updateTable('ids')
    .from('relaxed')
    .set(({ eb }) => ({ last_id: eb('ids.last_id', '+', count) }))
    .where('relaxed.setting', '=', 'off')
    .returning('ids.last_id')
    .executeTakeFirstOrThrow();
  return Number(lastId) - count + 1;
}
