import { VencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import { KeyedMutex, Semaphore } from '../../../src/shared/util/semaphore.js';
import type { JobDraft } from '../../jobs/draft.js';
import { hostedBytesOf, hostedSizesOf } from '../../jobs/hosted-retention.js';
import type { Job } from '../../jobs/job.js';
import {
  type AccountDailyUsage,
  type ChangedJobs,
  type CreateOptions,
  idempotencyTtlMs,
  type JobFilter,
  type JobListener,
  type JobListPage,
  type JobStore,
  type RemovableFilter,
  type RemovalListener,
  type UsageFilter,
} from '../job-store.js';
import { RecentJobs } from '../jobs/job-cache.js';
import type { JobDocument } from '../jobs/job-document.js';
import { JobListeners } from '../jobs/job-file-writer.js';
import type { PostgresDatabase } from './connection.js';
import { ChangeFollower } from './job-changes.js';
import {
  allocateIds,
  countWaiting,
  deleteJob,
  insertJob,
  type JobRow,
  jobColumns,
  KeyTakenError,
  readJobRow,
  replaceJob,
  selectActive,
  selectHostedOutputs,
  selectJob,
  selectJobOfFile,
  selectJobOfKey,
  selectPage,
  selectRemovable,
  selectUsage,
  selectWithNotifications,
  takeIdempotencyKey,
} from './job-rows.js';
import { searchRows } from './job-search.js';
import { lockUntilCommit } from './locks.js';
import { ChangePositions } from './positions.js';
import type { DatabaseTransaction } from './schema.js';

/** The options of `createPostgresJobStore`. */
export interface PostgresJobStoreOptions {
  readonly database: PostgresDatabase;
  /** Logs failing listeners, and changes of other processes that could not be read. */
  readonly log: Log;
  /** Runs before the transaction of a create, with the job under a preliminary id. */
  readonly beforeCreate?: (job: Job) => Promise<void>;
  /**
   * Runs in the transaction of a create, after the job was inserted: what it writes is stored with the job or not at
   * all. If it rejects, nothing is stored.
   */
  readonly onCreate?: (transaction: DatabaseTransaction, job: Job) => Promise<void>;
  /** The same for an update that changes the job. */
  readonly onUpdate?: (transaction: DatabaseTransaction, job: Job, before: Job) => Promise<void>;
  /** Removes what else is stored of a job that was removed, before the promise of the removal resolves. */
  readonly onRemoved?: (id: number) => Promise<void>;
}

/** A job store that several processes share. */
export interface PostgresJobStore extends JobStore {
  /**
   * As `JobStore.watch` says, and also after changes by other processes, within moments. `before` is then the last
   * version that this process has seen, or the job itself if it has seen none; several changes may be reported as one.
   * After the connection to the database was lost, a change may be reported twice.
   */
  watch(listener: JobListener): () => void;
  /** Calls a listener only after changes by this process: each change is reported in one process. */
  watchOwn(listener: JobListener): () => void;
  /** Calls a listener only after changes by other processes. */
  watchOthers(listener: JobListener): () => void;
}

/** Characters of recently read jobs that are kept in memory. */
const maxRecentLength = 32 * 1024 * 1024;

/**
 * Opens the jobs of a database. Operations reject with `UnavailableError` while the database cannot be reached. If the
 * connection is lost during a commit, the change may be stored nevertheless: a create can be repeated under the same
 * idempotency key, and listeners learn of an update that was stored.
 */
export async function createPostgresJobStore(options: PostgresJobStoreOptions): Promise<PostgresJobStore> {
  const rows = await options.database.queries.selectFrom('removed_files').select('url').execute();
  const urls = rows.map(({ url }) => url);
  const positions = await ChangePositions.open(options.database.queries);
  const store = new SharedJobStore(options, urls, positions);
  store.listen();
  return store;
}

class SharedJobStore implements PostgresJobStore {
  readonly #options: PostgresJobStoreOptions;
  readonly #queries: PostgresDatabase['queries'];
  readonly #recent = new RecentJobs(maxRecentLength);
  readonly #listeners: SharedListeners;
  readonly #jobMutex = new KeyedMutex<number>();
  readonly #creates = new KeyedMutex<symbol>();
  /**
   * Creates at once. More are not faster, because their commits wait for each other, and reads would wait for a
   * connection.
   */
  readonly #createPermits = new Semaphore(7);
  readonly #follower: ChangeFollower;
  readonly #positions: ChangePositions;
  #removedFiles: readonly string[];

  constructor(options: PostgresJobStoreOptions, removedFiles: readonly string[], positions: ChangePositions) {
    this.#options = options;
    this.#queries = options.database.queries;
    this.#listeners = new SharedListeners(options.log);
    this.#removedFiles = removedFiles;
    this.#positions = positions;
    this.#follower = new ChangeFollower({
      database: options.database,
      log: options.log,
      recent: this.#recent,
      jobMutex: this.#jobMutex,
      emit: this.#listeners.emitOther,
      emitRemoved: (id, accountId) => this.#listeners.removals.emitRemoved(id, accountId),
      onGap: () => {
        positions.noteGap();
        this.#listeners.removals.emitGap();
      },
    });
  }

  /** Begins to receive the changes of other processes. */
  listen(): void {
    this.#follower.start();
  }

  create(draft: JobDraft, { requireRoom }: CreateOptions = {}): Promise<Job> {
    return this.#creates.runExclusive(Symbol(), async () => {
      // This job is not stored: it gives the account, the creation time and the key of the draft.
      const preliminary = draft.job;
      const { accountId, idempotency, createdAt } = preliminary;
      await this.#options.beforeCreate?.(preliminary);
      const insert = () => this.#createPermits.runExclusive(() => this.#insert(draft, requireRoom));
      if (idempotency === null) return insert();
      const { key } = idempotency;
      const since = new Date(Date.parse(createdAt) - idempotencyTtlMs);
      for (;;) {
        const existing = await this.findByIdempotencyKey(accountId, key, since);
        if (existing !== null) return existing;
        const stored = await insert().catch((error: unknown) => {
          // Another create with this key was first.
          if (error instanceof KeyTakenError) return null;
          throw error;
        });
        if (stored !== null) return stored;
      }
    });
  }

  async findByIdempotencyKey(accountId: string, key: string, since: Date): Promise<Job | null> {
    return this.#jobOf(await selectJobOfKey(this.#queries, { accountId, key, since }));
  }

  async get(id: number): Promise<Job | null> {
    if (!Number.isSafeInteger(id)) return null;
    // After a change of this process that is under way, so that listeners can read the job that they are notified of.
    const select = () => selectJob(this.#queries, id);
    const isChanging = this.#jobMutex.isLocked(id);
    return this.#jobOf(await (isChanging ? this.#jobMutex.runExclusive(id, select) : select()));
  }

  async has(id: number): Promise<boolean> {
    const row = await this.#queries.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst();
    return row !== undefined;
  }

  async findByFile(fileId: number): Promise<Job | null> {
    if (!Number.isSafeInteger(fileId)) return null;
    const job = this.#jobOf(await selectJobOfFile(this.#queries, fileId));
    const isPart = job?.input.id === fileId || job?.outputs.some(({ id }) => id === fileId);
    return isPart ? job : null;
  }

  async list(filter: JobFilter): Promise<JobListPage> {
    const { search } = filter;
    const { rows, ...page } = await (search === undefined
      ? selectPage(this.#queries, filter)
      : searchRows(this.#queries, filter, search));
    return { jobs: this.#jobsOf(rows), ...page };
  }

  async active(): Promise<readonly Job[]> {
    return this.#jobsOf(await selectActive(this.#queries)).filter(({ state }) => !isFinal(state));
  }

  async listWithNotifications(): Promise<readonly Job[]> {
    const jobs = this.#jobsOf(await selectWithNotifications(this.#queries));
    return jobs.filter(({ pendingNotifications }) => pendingNotifications.length > 0);
  }

  listRemovable(filter: RemovableFilter): Promise<readonly number[]> {
    return selectRemovable(this.#queries, filter);
  }

  async hostedBytes(accountId: string, now: Date): Promise<number> {
    return hostedBytesOf(hostedSizesOf(await selectHostedOutputs(this.#queries, accountId)), now);
  }

  usage(filter: UsageFilter): Promise<readonly AccountDailyUsage[]> {
    return selectUsage(this.#queries, filter);
  }

  watch(listener: JobListener): () => void {
    return this.#listeners.add(listener, 'all');
  }

  watchRemoved(listener: RemovalListener): () => void {
    return this.#listeners.removals.addRemoval(listener);
  }

  readPosition(): Promise<string> {
    return this.#positions.read();
  }

  reportedPosition(): string {
    return this.#positions.reported;
  }

  changesSince(position: string, accountId: string | null): Promise<ChangedJobs | null> {
    return this.#positions.since(position, accountId);
  }

  readonly watchOwn = (listener: JobListener): (() => void) => this.#listeners.add(listener, 'own');
  readonly watchOthers = (listener: JobListener): (() => void) => this.#listeners.add(listener, 'others');

  update(id: number, change: (job: Job) => Job): Promise<Job> {
    return this.#jobMutex.runExclusive(id, () =>
      this.#follower.track(id, async () => {
        const { before, after } = await this.#queries.transaction().execute(async (transaction) => {
          const before = await this.#lock(transaction, id);
          const job = change(before.job);
          if (job === before.job) return { before, after: before };
          const after = { revision: before.revision + 1, job };
          await replaceJob(transaction, before.job, after, this.#follower.origin);
          await this.#options.onUpdate?.(transaction, job, before.job);
          return { before, after };
        });
        if (after !== before) this.#emit(after, before.job);
        return after.job;
      }),
    );
  }

  remove(id: number): Promise<Job> {
    return this.#jobMutex.runExclusive(id, async () => {
      const remove = () =>
        this.#queries.transaction().execute(async (transaction) => {
          const { job } = await this.#lock(transaction, id);
          if (!isFinal(job.state)) {
            const message = `Job ${id} is ${job.state}: only a job that has ended can be removed.`;
            throw new VencError('ConflictError', message, { hint: `cancel it first: venc cancel ${id}` });
          }
          await deleteJob(transaction, job, this.#follower.origin);
          return job;
        });
      const job = await this.#follower.track(id, remove);
      this.#recent.delete(id);
      await this.#options.onRemoved?.(id);
      this.#listeners.removals.emitRemoved(id, job.accountId);
      return job;
    });
  }

  removedFiles(): readonly string[] {
    return this.#removedFiles;
  }

  async forgetRemovedFiles(): Promise<void> {
    if (this.#removedFiles.length > 0)
      await this.#queries.deleteFrom('removed_files').where('url', 'in', this.#removedFiles).execute();
    this.#removedFiles = [];
  }

  async forgetFilesOf(removed: readonly Job[]): Promise<void> {
    const ids = removed.map(({ id }) => id);
    if (ids.length > 0) await this.#queries.deleteFrom('removed_files').where('job_id', 'in', ids).execute();
  }

  async close(): Promise<void> {
    this.#follower.stop();
    await this.#creates.idle();
    await this.#jobMutex.idle();
  }

  /** Assigns ids to a draft and stores it. Rejects with `KeyTakenError` if its idempotency key is in use. */
  async #insert(draft: JobDraft, requireRoom?: CreateOptions['requireRoom']): Promise<Job> {
    const firstId = await allocateIds(this.#queries, draft.idCount);
    const document = { revision: 1, job: draft.number(firstId) };
    const { job } = document;
    return this.#jobMutex.runExclusive(firstId, () =>
      this.#follower.track(firstId, async () => {
        await this.#queries.transaction().execute(async (transaction) => {
          if (requireRoom !== undefined) {
            await lockUntilCommit(transaction, 'quotas');
            requireRoom(await countWaiting(transaction, job.accountId));
          }
          await takeIdempotencyKey(transaction, job);
          const lastId = firstId + draft.idCount - 1;
          await insertJob(transaction, document, { lastId, origin: this.#follower.origin });
          await this.#options.onCreate?.(transaction, job);
        });
        this.#emit(document, null);
        return job;
      }),
    );
  }

  /** Locks the row of a job until the end of the transaction. */
  async #lock(transaction: DatabaseTransaction, id: number): Promise<JobDocument> {
    const row = await transaction
      .selectFrom('jobs')
      .select(jobColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) throw new VencError('NotFoundError', `There is no job ${id}.`);
    return readJobRow(row, this.#recent);
  }

  #jobOf(row: JobRow | undefined): Job | null {
    return row === undefined ? null : readJobRow(row, this.#recent).job;
  }

  #jobsOf(rows: readonly JobRow[]): readonly Job[] {
    return rows.map((row) => readJobRow(row, this.#recent).job);
  }

  /** Reports a change by this process that was stored. */
  #emit(after: JobDocument, before: Job | null): void {
    this.#recent.add(after, JSON.stringify(after.job).length);
    this.#listeners.emitOwn(after.job, before);
  }
}

/** The listeners of a store that several processes share, by the changes that they are called after. */
class SharedListeners {
  /** The listeners for removals. */
  readonly removals: JobListeners;
  readonly #all: JobListeners;
  readonly #own: JobListeners;
  readonly #others: JobListeners;

  constructor(log: Log) {
    this.removals = new JobListeners(log);
    this.#all = new JobListeners(log);
    this.#own = new JobListeners(log);
    this.#others = new JobListeners(log);
  }

  /** Adds a listener for changes by all processes, by this one or by others; the returned function removes it. */
  add(listener: JobListener, by: 'all' | 'own' | 'others'): () => void {
    if (by === 'all') return this.#all.add(listener);
    return (by === 'own' ? this.#own : this.#others).add(listener);
  }

  /** Reports a change by this process. */
  emitOwn(job: Job, before: Job | null): void {
    this.#all.emit(job, before);
    this.#own.emit(job, before);
  }

  /** Reports a change by another process. */
  readonly emitOther = (job: Job, before: Job | null): void => {
    this.#all.emit(job, before);
    this.#others.emit(job, before);
  };
}
