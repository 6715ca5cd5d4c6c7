import { type SelectQueryBuilder, sql } from 'kysely';
import { finalJobStates, jobStates } from '../../../src/shared/states.js';
import type { AccountDailyUsage, JobFilter, RemovableFilter, UsageFilter } from '../job-store.js';
import { type JobRow, jobColumns } from './job-rows.js';
import type { PostgresDatabase } from './open-database.js';
import type { DatabaseSchema } from './schema.js';

type Queries = PostgresDatabase['queries'];

const activeStates = jobStates.filter((state) => !(finalJobStates as readonly string[]).includes(state));

/** A number of jobs that is the sum of more changes than this is added up. */
const maxChanges = 20;

/** The row of a job. */
export function selectJob(queries: Queries, id: number): Promise<JobRow | undefined> {
  return queries.selectFrom('jobs').select(jobColumns).where('id', '=', id).executeTakeFirst();
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
  // A statement of its own, so that creates do not wait for each other's commit. It need not wait for the disk: the commit of the job, which
  // does, makes everything before it durable.
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
