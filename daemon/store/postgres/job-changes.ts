import { isVencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { randomToken } from '../../../src/shared/util/random-token.js';
import type { KeyedMutex } from '../../../src/shared/util/semaphore.js';
import type { Job } from '../../jobs/job.js';
import type { RecentJobs } from '../jobs/job-cache.js';
import type { PostgresDatabase } from './connection.js';
import { readJobRow, selectChangedSince, selectJob } from './job-rows.js';

/** The dependencies of a `ChangeFollower`. */
interface ChangeFollowerOptions {
  readonly database: PostgresDatabase;
  readonly log: Log;
  readonly recent: RecentJobs;
  /** Held while a job is changed or a change of it is reported. */
  readonly jobMutex: KeyedMutex<number>;
  /** Reports a change. */
  readonly emit: (job: Job, before: Job | null) => void;
  /** Reports a removal. */
  readonly emitRemoved: (id: number, accountId: string) => void;
  /** Called when notifications may be missing, before the changes since are read. */
  readonly onGap: () => void;
}

/** After a failed read of a change, in milliseconds. */
const retryDelayMs = 1000;
/** Above this number, the oldest changes that may have been stored are forgotten. */
const maxUncertain = 10_000;

/** Reports changes that other processes have stored, and own changes that failed and were stored nevertheless. */
export class ChangeFollower {
  /** Names this store in its notifications. */
  readonly origin = randomToken();
  readonly #options: ChangeFollowerOptions;
  /** Jobs whose change is under way, or failed and may have been stored. */
  readonly #uncertain = new Set<number>();
  /** Jobs that changed and are about to be read, with whether another process changed them. */
  readonly #changed = new Map<number, boolean>();
  #unsubscribe: () => void = () => undefined;
  #isStopped = false;

  constructor(options: ChangeFollowerOptions) {
    this.#options = options;
  }

  /** Begins to receive notifications. */
  start(): void {
    this.#unsubscribe = this.#options.database.channel.subscribe('job', {
      onMessage: ({ id, origin, removedFrom }) => {
        const isForeign = origin !== this.origin;
        if (!isForeign && !this.#uncertain.has(id)) return;
        if (removedFrom === undefined) this.#readLater(id, isForeign);
        else this.#onRemoved(id, removedFrom, isForeign);
      },
      onGap: (since) => {
        this.#options.onGap();
        void this.#readSince(since);
      },
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
  }

  /**
   * Runs a change of a job. If it fails because the connection was lost, a notification shows whether it was stored.
   */
  async track<T>(id: number, change: () => Promise<T>): Promise<T> {
    this.#uncertain.add(id);
    try {
      const result = await change();
      this.#uncertain.delete(id);
      return result;
    } catch (error) {
      if (!isVencError(error, 'UnavailableError')) this.#uncertain.delete(id);
      for (const oldest of this.#uncertain) {
        if (this.#uncertain.size <= maxUncertain) break;
        this.#uncertain.delete(oldest);
      }
      throw error;
    }
  }

  #onRemoved(id: number, accountId: string, isForeign: boolean): void {
    const { jobMutex, recent, emitRemoved } = this.#options;
    void jobMutex.runExclusive(id, async () => {
      // An own removal that succeeded meanwhile was reported.
      const isReported = !isForeign && !this.#uncertain.delete(id);
      if (isReported || this.#isStopped) return;
      recent.delete(id);
      emitRemoved(id, accountId);
    });
  }

  #readLater(id: number, isForeign: boolean): void {
    if (this.#isStopped) return;
    const isWaiting = this.#changed.has(id);
    this.#changed.set(id, isForeign || this.#changed.get(id) === true);
    if (isWaiting) return;
    const { jobMutex, log } = this.#options;
    jobMutex
      .runExclusive(id, () => this.#read(id))
      .catch((error: unknown) => {
        log('warn', `A change of job ${id} could not be read yet: ${String(error)}`);
        this.#retry(() => this.#readLater(id, isForeign));
      });
  }

  async #read(id: number): Promise<void> {
    const isForeign = this.#changed.get(id) === true;
    this.#changed.delete(id);
    // An own change that succeeded meanwhile was reported.
    if (!isForeign && !this.#uncertain.has(id)) return;
    const { database, recent, emit } = this.#options;
    const known = recent.get(id);
    const row = await selectJob(database.queries, id);
    this.#uncertain.delete(id);
    if (row === undefined) return;
    const { job, revision } = readJobRow(row, recent);
    if (!isForeign && known?.revision === revision) return;
    const isNew = known === undefined && revision === 1;
    emit(job, isNew ? null : (known?.job ?? job));
  }

  /** Reports every job that has changed since a time of the server. */
  async #readSince(since: Date): Promise<void> {
    const { database, log, recent } = this.#options;
    this.#uncertain.clear();
    // The server may have been replaced by one that lacks the last changes.
    recent.clear();
    try {
      for (const id of await selectChangedSince(database.queries, since)) this.#readLater(id, true);
    } catch (error) {
      log('warn', `The changes since ${since.toISOString()} could not be read yet: ${String(error)}`);
      this.#retry(() => void this.#readSince(since));
    }
  }

  #retry(read: () => void): void {
    if (!this.#isStopped) setTimeout(read, retryDelayMs).unref();
  }
}
