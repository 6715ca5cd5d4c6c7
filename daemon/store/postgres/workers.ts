import { type RawBuilder, sql } from 'kysely';
import { randomToken } from '../../../src/shared/util/random-token.js';
import { KeyedMutex } from '../../../src/shared/util/semaphore.js';
import type { JoinRequest } from '../../jobs/worker-protocol.js';
import {
  type JoinDecision,
  pausedName,
  type StoredWorker,
  type WorkerHalt,
  type WorkerPresence,
  type WorkerSession,
  type WorkerTable,
  type WorkerTableChange,
  type WorkerTableListener,
} from '../worker-table.js';
import { sendMessages, workerMessages } from './changes.js';
import type { PostgresDatabase } from './connection.js';
import { lockUntilCommit } from './locks.js';
import type { DatabaseTransaction } from './schema.js';

/** Milliseconds since a time, on the clock of the server. A worker that joins at this moment is not older than it. */
const agoMs = (column: 'joined_at' | 'last_seen_at') =>
  sql<number>`extract(epoch from clock_timestamp() - ${sql.ref(`workers.${column}`)})::float8 * 1000`;
const isDraining = sql<boolean>`exists (select from venc.drained_workers where name = workers.name)`;
const isPaused = sql<boolean>`exists (
  select from venc.drained_workers where name = ${pausedName('')} || workers.name
)`;
/** A time of the server. */
const before = (ms: number | RawBuilder<number>) =>
  sql<Date>`clock_timestamp() - ${ms}::float8 * interval '1 millisecond'`;

/** A worker takes about 10 kB. */
const maxJoinsPerTransaction = 50;

type JoiningWorker = Pick<StoredWorker, 'id' | 'request'>;

/** A join that is not stored yet. */
interface PendingJoin {
  readonly worker: JoiningWorker;
  readonly decide: (sessions: readonly WorkerSession[]) => JoinDecision;
  readonly resolve: (stored: StoredWorker & JoinDecision) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens the workers of a database. */
export function openWorkerTable(database: PostgresDatabase): WorkerTable {
  return new PostgresWorkerTable(database);
}

class PostgresWorkerTable implements WorkerTable {
  readonly #database: PostgresDatabase;
  readonly #queries: PostgresDatabase['queries'];
  readonly #origin = randomToken();
  /**
   * Joins and drains wait here for each other, so that at most one connection of this daemon waits for the lock of the
   * database.
   */
  readonly #mutex = new KeyedMutex<'workers'>();
  readonly #pending: PendingJoin[] = [];

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#queries = database.queries;
  }

  join(worker: JoiningWorker, decide: PendingJoin['decide']): Promise<StoredWorker & JoinDecision> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ worker, decide, resolve, reject });
      // Joins that wait for their turn are stored by the first one of them: after a failure of the database, all
      // workers join at once.
      void this.#mutex.runExclusive('workers', () => this.#joinPending());
    });
  }

  /** Never rejects. */
  async #joinPending(): Promise<void> {
    const joins = this.#pending.splice(0, maxJoinsPerTransaction);
    if (joins.length === 0) return;
    try {
      const stored = await this.#locked((transaction) => this.#storeJoins(transaction, joins));
      for (const [join, worker] of stored) join.resolve(worker);
    } catch (error) {
      for (const { reject } of joins) reject(error);
    }
  }

  async #storeJoins(
    transaction: DatabaseTransaction,
    joins: readonly PendingJoin[],
  ): Promise<ReadonlyMap<PendingJoin, StoredWorker & JoinDecision>> {
    // A worker whose join is lost with the server joins again.
    await sql`set local synchronous_commit = off`.execute(transaction);
    let sessions = await selectSessions(transaction);
    const decided = joins.flatMap((join) => {
      const { worker, decide, reject } = join;
      try {
        const decision = decide(sessions);
        const { name, removedIds } = decision;
        const others = sessions.filter(({ id }) => !removedIds.includes(id));
        sessions = [...others, { ...sessionOf(worker), name }];
        return [{ ...worker, ...decision, join }];
      } catch (error) {
        reject(error);
        return [];
      }
    });
    if (decided.length === 0) return new Map();
    const removedIds = new Set(decided.flatMap((worker) => worker.removedIds));
    if (removedIds.size > 0)
      await transaction
        .deleteFrom('workers')
        .where('id', 'in', [...removedIds])
        .execute();
    // One may have been replaced by another one of the same transaction.
    const remaining = decided.filter(({ id }) => !removedIds.has(id));
    const rows = await transaction
      .insertInto('workers')
      .values(
        remaining.map(({ id, name, request }) => ({
          ...{ id, name, request: JSON.stringify(request) },
          folder_id: request.folderId ?? null,
          process_id: request.processId ?? null,
        })),
      )
      .returning(['id', isDraining.as('isDraining'), isPaused.as('isPaused')])
      .execute();
    const halts = new Map<string, WorkerHalt>(rows.map(({ id, ...halt }) => [id, halt]));
    await this.#notify(transaction, [
      { type: 'left', ids: [...removedIds] },
      ...decided.map(({ id, endedNames }) => ({ type: 'joined', id, endedNames }) as const),
    ]);
    return new Map(
      decided.map(({ join, ...worker }) => [
        join,
        {
          ...worker,
          ...(halts.get(worker.id) ?? { isDraining: false, isPaused: false }),
          ...{ joinedAgoMs: 0, seenAgoMs: 0 },
        },
      ]),
    );
  }

  async leave(id: string): Promise<void> {
    await this.#queries.transaction().execute(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('workers')
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows > 0n) await this.#notify(transaction, [{ type: 'left', ids: [id] }]);
    });
  }

  async find(ids: readonly string[]): Promise<readonly StoredWorker[]> {
    if (ids.length === 0) return [];
    const rows = await this.#queries
      .selectFrom('workers')
      .select(['id', 'name', 'request', isDraining.as('isDraining'), isPaused.as('isPaused')])
      .select([agoMs('joined_at').as('joinedAgoMs'), agoMs('last_seen_at').as('seenAgoMs')])
      .where('id', 'in', ids)
      .execute();
    return rows.map((row) => ({ ...row, request: JSON.parse(row.request) as JoinRequest }));
  }

  setDraining(name: string, isDraining: boolean, seenWithinMs: number): Promise<boolean> {
    const change = { type: 'draining', name, isDraining } as const;
    return this.#setHalt({ change, storedName: name, isHalted: isDraining, seenWithinMs });
  }

  setPaused(name: string, isPaused: boolean, seenWithinMs: number): Promise<boolean> {
    const change = { type: 'pausing', name, isPaused } as const;
    return this.#setHalt({ change, storedName: pausedName(name), isHalted: isPaused, seenWithinMs });
  }

  #setHalt(halt: {
    readonly change: Extract<WorkerTableChange, { readonly name: string }>;
    readonly storedName: string;
    readonly isHalted: boolean;
    readonly seenWithinMs: number;
  }): Promise<boolean> {
    const { storedName, isHalted, seenWithinMs } = halt;
    const change = async (transaction: DatabaseTransaction) => {
      const found = await transaction
        .selectFrom('workers')
        .select('id')
        .where('name', '=', halt.change.name)
        .where('last_seen_at', '>=', before(seenWithinMs))
        .executeTakeFirst();
      if (isHalted && found === undefined) return false;
      const store = isHalted ? addName : removeName;
      const hasChanged = await store(transaction, storedName);
      if (hasChanged) await this.#notify(transaction, [halt.change]);
      return found !== undefined || hasChanged;
    };
    return this.#mutex.runExclusive('workers', () => this.#locked(change));
  }

  async sync(
    seenAgoMs: ReadonlyMap<string, number>,
    forgottenAfterMs: number,
  ): Promise<readonly WorkerPresence[]> {
    const ids = [...seenAgoMs.keys()];
    const agos = [...seenAgoMs.values()];
    // A row that another daemon is changing is left out, so that two daemons never wait for each other: it was just
    // seen or removed.
    const { rows } = await sql<WorkerPresence>`
      with seen (id, ago) as (select * from unnest(${ids}::text[], ${agos}::float8[])),
      free as (
        select workers.id, seen.ago from venc.workers join seen using (id) for update of workers skip locked
      ),
      updated as (
        update venc.workers set last_seen_at = greatest(last_seen_at, ${before(sql<number>`free.ago`)})
        from free where workers.id = free.id
      ),
      old as (
        select id from venc.workers
        where last_seen_at < ${before(forgottenAfterMs)} and id <> all (${ids}::text[]) for update skip locked
      ),
      removed as (delete from venc.workers using old where workers.id = old.id)
      select id, ${agoMs('last_seen_at')} as "seenAgoMs", ${isDraining} as "isDraining",
        ${isPaused} as "isPaused" from venc.workers
      where last_seen_at >= ${before(forgottenAfterMs)} or id = any (${ids}::text[])`.execute(this.#queries);
    return rows;
  }

  async watch(listener: WorkerTableListener): Promise<() => void> {
    return this.#database.channel.subscribe('workers', {
      onMessage: ({ from, changes }) => {
        if (from !== this.#origin) for (const change of changes) listener.onChange(change);
      },
      onGap: () => listener.onGap(),
    });
  }

  /** Runs a transaction while no other daemon joins or drains workers. Needs the mutex. */
  #locked<T>(change: (transaction: DatabaseTransaction) => Promise<T>): Promise<T> {
    return this.#queries.transaction().execute(async (transaction) => {
      await lockUntilCommit(transaction, 'workers');
      return change(transaction);
    });
  }

  #notify(transaction: DatabaseTransaction, changes: readonly WorkerTableChange[]): Promise<void> {
    return sendMessages(transaction, 'workers', workerMessages(this.#origin, changes));
  }
}

async function selectSessions(transaction: DatabaseTransaction): Promise<readonly WorkerSession[]> {
  const rows = await transaction
    .selectFrom('workers')
    .select(['id', 'name', 'folder_id', 'process_id', agoMs('last_seen_at').as('seenAgoMs')])
    .execute();
  return rows.map(({ id, name, folder_id, process_id, seenAgoMs }) => ({
    ...{ id, name, seenAgoMs },
    ...(folder_id === null ? {} : { folderId: folder_id }),
    ...(process_id === null ? {} : { processId: process_id }),
  }));
}

/** The session of a worker that joins now. */
function sessionOf({ id, request: { name, folderId, processId } }: JoiningWorker): WorkerSession {
  return {
    ...{ id, name, seenAgoMs: 0 },
    ...(folderId === undefined ? {} : { folderId }),
    ...(processId === undefined ? {} : { processId }),
  };
}

/** Resolves to whether the name did not drain before. */
async function addName(transaction: DatabaseTransaction, name: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('drained_workers')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Resolves to whether the name drained before. */
async function removeName(transaction: DatabaseTransaction, name: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('drained_workers')
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
