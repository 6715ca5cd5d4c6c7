import { isFinal } from '../../../src/shared/states.js';
import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import type { JobStore } from '../../store/job-store.js';
import type { PostgresDatabase } from '../../store/postgres/open-database.js';
import { readClocks } from '../claim-confirmation.js';
import { describeError, requeue } from '../end-of-run.js';
import type { JobOffer } from '../job-queue.js';
import type { JobClaims, JobSource, RunEnd } from '../job-source.js';
import type { WaitingJob } from '../waiting-jobs.js';
import { HeldJobs } from './held-jobs.js';
import { type QueueEngine, queueChannel } from './queue-engine.js';
import { WaitingQueues } from './waiting-queues.js';

/** The dependencies of a `PostgresSource`. */
export interface PostgresSourceOptions {
  readonly database: PostgresDatabase;
  readonly engine: QueueEngine;
  readonly store: JobStore;
  readonly now: () => Date;
  readonly log: Log;
}

/** What a source reports to its queue. */
export interface SourceListener {
  /** Jobs may wait that did not before. */
  onWaiting(): void;
  /** This process no longer holds a job. */
  onLost(jobId: number): void;
}

/** After a failed look for jobs, in milliseconds. */
const retryMs = 1000;

/** The jobs that wait in a database. The engine gives each to one process at a time; {@link QueueEntries} puts them there. */
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
    this.#held = new HeldJobs({ engine: options.engine, log: options.log, onLost });
  }

  /** Begins to report to a queue. */
  async start(listener: SourceListener): Promise<void> {
    this.#listener = listener;
    const wake = () => this.#wake();
    this.#unsubscribe = await this.#options.database.channel.subscribe(queueChannel, {
      onNotification: wake,
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
    this.#settle(id, () => this.#options.engine.requeueOwnJob(held.queue, held.attempt)).catch(
      (error: unknown) =>
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
      const attempt = await this.#options.engine.take(queue.name);
      if (attempt === null) {
        this.#queues.forget(queue.name);
        continue;
      }
      this.#isStale = true;
      const { jobId } = attempt;
      this.#held.add({ jobId, queue: queue.name, attempt, isRemote }, sentAt);
      const { accountId, priority, requires, needsKey } = queue;
      return { id: jobId, accountId, priority, requires, needsKey };
    }
    return null;
  }

  async #resume(id: number): Promise<void> {
    const { database, engine } = this.#options;
    const sentAt = readClocks();
    const held = await engine.attemptOf(database, id);
    if (held === null) return this.#listener.onLost(id);
    const [touched] = await engine.touch(held.queue, [held.attempt]);
    if (touched === undefined) return this.#listener.onLost(id);
    this.#held.add({ jobId: id, ...held, isRemote: true }, sentAt);
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
