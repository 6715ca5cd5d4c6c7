import { sql } from 'kysely';
import type { ChangedJobs } from '../job-store.js';
import type { PostgresDatabase } from './connection.js';

type Queries = PostgresDatabase['queries'];

/** With more changes than this, a position is too old. */
const maxChanges = 10_000;
/** How often the position is read at most while it is asked for, in milliseconds. */
const refreshIntervalMs = 1000;
/** Notifications of the changes before a position arrive within this time after it was read, in milliseconds. */
const notifiedAfterMs = 10_000;
/** The same after the connection of the notifications was lost: the changes since then are read again. */
const notifiedAfterGapMs = 60_000;

/**
 * Positions in the changes of jobs: numbers of transactions, which all daemons share and which no clock decides. Each
 * row has that of its last change. All transactions before the oldest one that runs have ended.
 */
export class ChangePositions {
  readonly #queries: Queries;
  #reported: string;
  /** Positions whose changes may not have been reported yet, with the times at which they have been. */
  #candidates: { readonly position: string; readonly reportedAtMs: number }[] = [];
  #readAtMs = Number.NEGATIVE_INFINITY;
  #gapEndsAtMs = Number.NEGATIVE_INFINITY;

  private constructor(queries: Queries, position: string) {
    this.#queries = queries;
    this.#reported = position;
  }

  /** Rejects as statements do. */
  static async open(queries: Queries): Promise<ChangePositions> {
    return new ChangePositions(queries, await readPosition(queries));
  }

  /** See `JobStore.readPosition`. */
  read(): Promise<string> {
    return readPosition(this.#queries);
  }

  /** See `JobStore.reportedPosition`. */
  get reported(): string {
    const now = performance.now();
    const count = this.#candidates.findLastIndex(({ reportedAtMs }) => reportedAtMs <= now) + 1;
    const [newest] = this.#candidates.splice(0, count).slice(-1);
    if (newest !== undefined) this.#reported = newest.position;
    if (now - this.#readAtMs >= refreshIntervalMs) {
      this.#readAtMs = now;
      void this.#addCandidate();
    }
    return this.#reported;
  }

  /** Called when notifications may be missing. */
  noteGap(): void {
    this.#candidates = [];
    this.#gapEndsAtMs = performance.now() + notifiedAfterGapMs;
  }

  /** See `JobStore.changesSince`. */
  async since(position: string, accountId: string | null): Promise<ChangedJobs | null> {
    if (!/^\d{1,18}$/.test(position)) return null;
    const ofAccount = accountId === null ? sql`` : sql`and account_id = ${accountId}`;
    const { rows } = await sql<{ id: string | null; is_removed: boolean }>`
      with known as (
        select ${position}::xid8 <= pg_snapshot_xmax(pg_current_snapshot())
          and ${position}::xid8 >= (select forgotten from venc.forgotten_removals) as is_known
      )
      (select id, false as is_removed from venc.jobs, known
        where is_known and changed_in >= ${position}::xid8 ${ofAccount} limit ${maxChanges + 1})
      union all
      (select job_id, true from venc.removed_jobs, known
        where is_known and changed_in >= ${position}::xid8 ${ofAccount} limit ${maxChanges + 1})
      union all
      select null, false from known where not is_known`.execute(this.#queries);
    if (rows.length > maxChanges || rows.some(({ id }) => id === null)) return null;
    const idsOf = (isRemoved: boolean) =>
      rows.filter((row) => row.is_removed === isRemoved).map(({ id }) => Number(id));
    return { changed: idsOf(false), removed: idsOf(true) };
  }

  async #addCandidate(): Promise<void> {
    try {
      const isAfterGap = this.#gapEndsAtMs;
      const position = await readPosition(this.#queries);
      if (this.#gapEndsAtMs !== isAfterGap) return;
      const reportedAtMs = Math.max(this.#gapEndsAtMs, performance.now() + notifiedAfterMs);
      this.#candidates.push({ position, reportedAtMs });
    } catch {
      // The position stays an earlier one.
    }
  }
}

async function readPosition(queries: Queries): Promise<string> {
  const { rows } = await sql<{ position: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as position`.execute(queries);
  const [row] = rows;
  if (row === undefined) throw new RangeError('PostgreSQL did not return its snapshot.');
  return row.position;
}

/** Forgets the removals of more than a day ago: earlier positions are unknown then. */
export async function forgetRemovals(queries: Queries): Promise<void> {
  await sql`
    with old as (
      delete from venc.removed_jobs where removed_at < now() - interval '1 day' returning changed_in
    ), newest as (
      select changed_in from old order by changed_in desc limit 1
    )
    update venc.forgotten_removals set forgotten = changed_in from newest
    where changed_in > forgotten`.execute(queries);
}
