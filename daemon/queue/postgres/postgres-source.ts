import { sql } from 'kysely';
import { VencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import type { JobStore } from '../../store/job-store.js';
import type { PostgresDatabase } from '../../store/postgres/connection.js';
import { ClaimConfirmation, type Moment, readClocks } from '../claim-confirmation.js';
import type { JobOffer } from '../job-queue.js';
import { describeError, requeue } from '../job-run.js';
import type { JobClaims, JobSource, RunEnd } from '../job-source.js';
import type { WaitingJob } from '../waiting-jobs.js';
import { type HeldAttempt, leaseSeconds, type QueueEntries } from './queue-entries.js';

/** The dependencies of a `PostgresSource`. */
export interface PostgresSourceOptions {
  readonly database: PostgresDatabase;
  readonly entries: QueueEntries;
  readonly store: JobStore;
  readonly now: () => Date;
  readonly log: Log;
}

/** What a source reports to its queue. */
interface SourceListener {
  /** Jobs may wait that did not before. */
  onWaiting(): void;
  /** This process no longer holds a job. */
  onLost(jobId: number): void;
}

/** Delay after a failed poll, in milliseconds. */
const retryMs = 1000;

/**
 * The jobs that wait in a database. The engine gives each to one process at a time; {@link QueueEntries} puts them
 * there.
 */
export class PostgresSource implements JobSource {
  readonly isShared = true;
  readonly #options: PostgresSourceOptions;
  readonly #queues: WaitingQueues;
  readonly #held: HeldJobs;
  #listener: SourceListener = { onWaiting: () => undefined, onLost: () => undefined };
  #unsubscribe: () => void = () => undefined;
  #isStale = true;
  #isClosed = false;
  #hasFailed = false;

  constructor(options: PostgresSourceOptions) {
    this.#options = options;
    this.#queues = new WaitingQueues(options.database.queries);
    const onLost = (jobId: number) => this.#listener.onLost(jobId);
    this.#held = new HeldJobs({ entries: options.entries, log: options.log, onLost });
  }

  /** Begins to report to a queue. */
  async start(listener: SourceListener): Promise<void> {
    this.#listener = listener;
    const wake = () => this.#wake();
    this.#unsubscribe = this.#options.database.channel.subscribe('queue', {
      onMessage: wake,
      onGap: wake,
    });
  }

  add(): void {
    // The transaction that stored the job has added it.
    this.#isStale = true;
  }

  remove(): void {
    // The transaction that ended the job has removed it.
  }

  clear(): void {
    this.#isClosed = true;
    this.#unsubscribe();
  }

  take({ accepts, worker }: Pick<JobOffer, 'worker' | 'accepts'>): null | Promise<WaitingJob | null> {
    if (this.#isClosed || (!this.#isStale && this.#queues.isEmpty)) return null;
    return this.#take(accepts, worker !== null).catch((error: unknown) => {
      if (!this.#hasFailed)
        this.#options.log('warn', `Waiting jobs cannot be read at the moment: ${describeError(error)}`);
      this.#hasFailed = true;
      setTimeout(() => this.#wake(), retryMs).unref();
      return null;
    });
  }

  putBack({ id }: WaitingJob): void {
    this.ended(id, 'unsettled');
  }

  resume({ id }: Job): void {
    void this.#resume(id).catch((error: unknown) => {
      this.#options.log('warn', `Job ${id} cannot be continued: ${describeError(error)}`, { jobId: id });
      this.#listener.onLost(id);
    });
  }

  renew(id: number): void {
    this.#held.renew(id);
  }

  get claims(): JobClaims {
    return this.#held;
  }

  ended(id: number, end: RunEnd): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    if (held === undefined || end !== 'unsettled') return;
    // If this fails, the engine gives the job to another process when the lease is over.
    this.#settle(id, () => this.#options.entries.requeueOwnJob(held)).catch((error: unknown) =>
      this.#options.log('warn', `Job ${id} waits until its lease is over: ${describeError(error)}`, {
        jobId: id,
      }),
    );
  }

  async #take(accepts: (job: WaitingJob) => boolean, isRemote: boolean): Promise<WaitingJob | null> {
    if (this.#isStale) {
      this.#isStale = false;
      await this.#queues.load().catch((error: unknown) => {
        this.#isStale = true;
        throw error;
      });
      this.#hasFailed = false;
    }
    for (let queue = this.#queues.next(accepts); queue !== null; queue = this.#queues.next(accepts)) {
      const sentAt = readClocks();
      const attempt = await this.#options.entries.take(queue.name);
      if (attempt === null) {
        this.#queues.forget(queue.name);
        continue;
      }
      this.#isStale = true;
      const { jobId } = attempt;
      this.#held.add({ ...attempt, isRemote }, sentAt);
      const { accountId, priority, requires, needsKey } = queue;
      return { id: jobId, accountId, priority, requires, needsKey };
    }
    return null;
  }

  async #resume(id: number): Promise<void> {
    const { entries } = this.#options;
    const sentAt = readClocks();
    const held = await entries.attemptOf(id);
    const touched = held === null ? new Set() : await entries.touch([held]);
    if (held === null || !touched.has(id)) return this.#listener.onLost(id);
    this.#held.add({ ...held, isRemote: true }, sentAt);
  }

  /** Corrects the record of a job that this process took and did not run: what holds it in the record has ended. */
  async #settle(id: number, requeueInEngine: () => Promise<void>): Promise<void> {
    const { store, now } = this.#options;
    const job = await store.get(id);
    if (job === null || isFinal(job.state)) return;
    if (job.state !== 'processing') return requeueInEngine();
    await store.update(id, (stored) => requeue(stored, job.claim ?? '', 'lost', now()));
  }

  #wake(): void {
    if (this.#isClosed) return;
    this.#isStale = true;
    this.#listener.onWaiting();
  }
}

/** A job that this process holds. */
interface HeldJob extends HeldAttempt {
  /** Whether the job is reported only after its remote worker has reported. */
  readonly isRemote: boolean;
}

interface Entry extends HeldJob {
  readonly confirmation: ClaimConfirmation;
  /** Whether the worker has reported since the last report to the engine. */
  hasReported: boolean;
}

interface HeldJobsOptions {
  readonly entries: Pick<QueueEntries, 'touch'>;
  readonly log: Log;
  /** Called when another process may hold a job. */
  readonly onLost: (jobId: number) => void;
}

/** How often the jobs are reported, in milliseconds. */
const reportIntervalMs = 5000;
/** A confirmation that is less old is good enough, in milliseconds. */
const freshMs = 2000;

/** The jobs that this process holds: it reports them to the engine, and learns which of them it has lost. */
class HeldJobs {
  readonly #options: HeldJobsOptions;
  readonly #entries = new Map<number, Entry>();
  #timer: NodeJS.Timeout | null = null;
  #isReporting = false;
  #hasFailed = false;
  /** When a report last failed, on the monotonic clock. */
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: HeldJobsOptions) {
    this.#options = options;
  }

  get(jobId: number): HeldJob | undefined {
    return this.#entries.get(jobId);
  }

  /** Adds a job that was taken, or touched, by a request that was sent at a moment. */
  add(job: HeldJob, sentAt: Moment): void {
    this.delete(job.jobId);
    const confirmation = new ClaimConfirmation(sentAt, { leaseMs: leaseSeconds * 1000 });
    this.#entries.set(job.jobId, { ...job, confirmation, hasReported: false });
    this.#timer ??= setInterval(() => void this.#report(), reportIntervalMs).unref();
  }

  /** Removes a job, which is not reported any more. */
  delete(jobId: number): void {
    this.#entries.get(jobId)?.confirmation.close();
    this.#entries.delete(jobId);
    if (this.#entries.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The remote worker that runs a job has reported. */
  renew(jobId: number): void {
    const entry = this.#entries.get(jobId);
    if (entry !== undefined) entry.hasReported = true;
  }

  /**
   * Confirms that a job is held; see `Run.confirmClaim`. Rejects if it is lost, or while the database cannot be
   * reached.
   */
  async confirm(jobId: number, maxAgeMs = freshMs): Promise<AbortSignal> {
    const entry = this.#entries.get(jobId);
    if (entry === undefined) throw new VencError('ClaimLostError', `Job ${jobId} is no longer held.`);
    if (entry.confirmation.ageMs > maxAgeMs) await this.#touch([entry]);
    if (this.#entries.get(jobId) !== entry)
      throw new VencError('ClaimLostError', `Job ${jobId} is no longer held.`);
    return entry.confirmation.signal;
  }

  /** See `Run.wasCutOffSince`. Rejects as `confirm`. */
  async wasCutOffSince(jobId: number, monotonicMs: number): Promise<boolean> {
    await this.confirm(jobId, 0);
    return this.#failedAtMs >= monotonicMs;
  }

  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      const due = [...this.#entries.values()].filter(({ isRemote, hasReported }) => !isRemote || hasReported);
      if (due.length > 0) await this.#touch(due);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#options.log('warn', `The jobs that run here could not be reported: ${describeError(error)}`);
      this.#hasFailed = true;
    } finally {
      this.#isReporting = false;
    }
  }

  async #touch(entries: readonly Entry[]): Promise<void> {
    const sentAt = readClocks();
    const held = await this.#options.entries.touch(entries).catch((error: unknown) => {
      this.#failedAtMs = performance.now();
      throw error;
    });
    for (const entry of entries) {
      entry.hasReported = false;
      if (held.has(entry.jobId)) entry.confirmation.confirm(sentAt);
      else if (this.#entries.get(entry.jobId) === entry) this.#lose(entry);
    }
  }

  #lose({ jobId }: Entry): void {
    this.delete(jobId);
    this.#options.log('warn', `Job ${jobId} was given to another run, because this one could not report.`, {
      jobId,
    });
    this.#options.onLost(jobId);
  }
}

/** A queue in which jobs wait, with the one that is probably its first. */
interface WaitingQueue extends WaitingJob {
  readonly name: string;
}

interface QueueRow {
  readonly name: string;
  readonly account_id: string;
  readonly requires: string;
  readonly needs: string;
  readonly job_id: string;
  readonly priority: number;
}

/**
 * The queues in which jobs wait, as they were when `load` read them. It decides from which of them the next job is
 * taken, as `WaitingJobs` does in memory: from the account with the fewest running jobs on all machines, then the one
 * whose job has the greatest priority, then the oldest.
 */
class WaitingQueues {
  readonly #queries: PostgresDatabase['queries'];
  readonly #queues = new Map<string, WaitingQueue>();
  #runningByAccount = new Map<string, number>();

  constructor(queries: PostgresDatabase['queries']) {
    this.#queries = queries;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** Reads the queues. Takes a few steps in an index for each queue in which jobs wait, whatever their number. */
  async load(): Promise<void> {
    const { rows } = await sql<QueueRow>`
      with recursive names (name) as (
        (select min(queue) from venc.queue_entries where is_waiting)
        union all
        select (select min(queue) from venc.queue_entries where is_waiting and queue > names.name)
        from names where names.name is not null
      )
      select queues.*, first.job_id, first.priority
      from names
      join venc.queues on queues.name = names.name
      cross join lateral (
        select job_id, priority from venc.queue_entries
        where is_waiting and queue = names.name order by priority desc, job_id limit 1
      ) as first`.execute(this.#queries);
    const running = await this.#queries
      .selectFrom('queue_entries')
      .innerJoin('queues', 'queues.name', 'queue_entries.queue')
      .select(({ fn }) => ['queues.account_id', fn.countAll<string>().as('count')])
      .where('queue_entries.is_waiting', '=', false)
      .groupBy('queues.account_id')
      .execute();
    this.#queues.clear();
    for (const { name, account_id: accountId, requires, needs, job_id: id, priority } of rows)
      this.#queues.set(name, {
        ...{ name, accountId, priority, id: Number(id) },
        ...{ requires: JSON.parse(requires), needsKey: needs },
      });
    this.#runningByAccount = new Map(running.map(({ account_id: id, count }) => [id, Number(count)]));
  }

  /** The queue of the next job that is accepted; null if there is none. */
  next(accepts: (job: WaitingJob) => boolean): WaitingQueue | null {
    let best: WaitingQueue | null = null;
    for (const queue of this.#queues.values())
      if ((best === null || this.#isBefore(queue, best)) && accepts(queue)) best = queue;
    return best;
  }

  /** Forgets a queue until it is read again: it has no job that can be taken. */
  forget(name: string): void {
    this.#queues.delete(name);
  }

  #isBefore(one: WaitingQueue, other: WaitingQueue): boolean {
    const difference = this.#running(one) - this.#running(other) || other.priority - one.priority;
    return difference === 0 ? one.id < other.id : difference < 0;
  }

  #running({ accountId }: WaitingQueue): number {
    return this.#runningByAccount.get(accountId) ?? 0;
  }
}
