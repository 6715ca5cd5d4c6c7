import type { Log } from '../../../src/shared/util/log.js';
import { randomToken } from '../../../src/shared/util/random-token.js';
import type { FileProgress, JobProgress, RunProgress } from '../../jobs/progress.js';
import type { JobStore } from '../job-store.js';
import { type ProgressMessage, progressMessages, sendMessages } from './changes.js';
import type { PostgresDatabase } from './connection.js';

/** What is shared of a `ProgressTracker`. */
interface ProgressMirror {
  /** The runs of this process, by job. */
  readonly own: ReadonlyMap<number, RunProgress>;
  mirror(jobId: number, progress: JobProgress | null): void;
  watch(listener: (jobId: number) => void): () => void;
}

/** The dependencies of `shareProgress`. */
interface SharedProgressOptions {
  readonly database: PostgresDatabase;
  readonly progressTracker: ProgressMirror;
  readonly store: Pick<JobStore, 'watch'>;
  readonly log: Log;
  /** Milliseconds of a clock that is never set back; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

/** The progress that this process shares with the others. */
export interface SharedProgress {
  /**
   * Removes runs of other processes that nothing was heard of for 30 s, and publishes all runs of this one. A timer
   * calls it.
   */
  refresh(): void;
  /** Stops sharing, after the statement that is under way. */
  close(): Promise<void>;
}

/** Between two statements, in milliseconds. */
const publishIntervalMs = 1000;
/** Between two messages about runs whose progress does not change. */
const refreshIntervalMs = 10_000;
const forgottenAfterMs = 30_000;

/**
 * Shares progress among the processes of a database by notifications, which are written to no table. Each process
 * publishes what has changed of its runs, at most once a second, and mirrors the runs of the others until their jobs
 * are no longer processed. A message that cannot be sent is dropped: the next one has the progress of all runs.
 */
export async function shareProgress(options: SharedProgressOptions): Promise<SharedProgress> {
  const sharing = new Sharing(options);
  await sharing.start();
  return sharing;
}

/** A run of another process. */
interface MirroredRun {
  readonly from: string;
  readonly run: number;
  readonly files: Map<number, FileProgress>;
  readonly lastHeartbeatMs: number;
}

class Sharing implements SharedProgress {
  readonly #options: SharedProgressOptions;
  readonly #origin = randomToken();
  readonly #mirrored = new Map<number, MirroredRun>();
  /** What the others know of the runs of this process. */
  readonly #published = new Map<number, RunProgress>();
  readonly #changed = new Set<number>();
  readonly #stops: (() => void)[] = [];
  #isRequesting = true;
  #hasFailed = false;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: SharedProgressOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { database, progressTracker, store } = this.#options;
    const refreshing = setInterval(() => this.refresh(), refreshIntervalMs).unref();
    this.#stops.push(
      database.channel.subscribe('progress', {
        onMessage: (message) => this.#receive(message),
        onGap: () => {
          this.#isRequesting = true;
          this.#schedule();
        },
      }),
      progressTracker.watch((jobId) => {
        if (progressTracker.own.has(jobId) || this.#published.has(jobId)) this.#publishLater(jobId);
      }),
      store.watch((job) => {
        if (job.state !== 'processing') this.#drop(job.id);
      }),
      () => clearInterval(refreshing),
    );
    this.#publishAll();
    this.#schedule();
  }

  refresh(): void {
    const oldestMs = this.#nowMs() - forgottenAfterMs;
    for (const [jobId, { lastHeartbeatMs }] of this.#mirrored)
      if (lastHeartbeatMs < oldestMs) this.#drop(jobId);
    this.#publishAll();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const stop of this.#stops.splice(0)) stop();
    await this.#sending;
  }

  #receive(message: ProgressMessage): void {
    if (message.from === this.#origin || this.#isClosed) return;
    if (message.isRequest) this.#publishAll();
    const { progressTracker } = this.#options;
    const changed = new Set<number>();
    for (const { job, run, file, isEnded } of message.items) {
      const known = this.#mirrored.get(job);
      const isKnown = known?.from === message.from && known.run === run;
      if (isEnded === true) {
        if (isKnown) this.#drop(job);
        continue;
      }
      const files = isKnown ? known.files : new Map<number, FileProgress>();
      if (file !== undefined) {
        const { id, ...progress } = file;
        files.set(id, progress);
      }
      this.#mirrored.set(job, { from: message.from, run, files, lastHeartbeatMs: this.#nowMs() });
      changed.add(job);
    }
    for (const job of changed) progressTracker.mirror(job, this.#mirrored.get(job)?.files ?? null);
  }

  #drop(jobId: number): void {
    if (this.#mirrored.delete(jobId)) this.#options.progressTracker.mirror(jobId, null);
  }

  /** Publishes the runs of this process as if the others knew none of their progress. */
  #publishAll(): void {
    this.#forgetPublished();
    for (const jobId of this.#options.progressTracker.own.keys()) this.#publishLater(jobId);
  }

  #forgetPublished(): void {
    for (const [jobId, { run }] of this.#published) this.#published.set(jobId, { run, files: new Map() });
  }

  #publishLater(jobId: number): void {
    this.#changed.add(jobId);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#sending !== null || this.#isClosed) return;
    const delayMs = Math.max(0, this.#sentAtMs + publishIntervalMs - this.#nowMs());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#sentAtMs = this.#nowMs();
      this.#sending = this.#send().finally(() => {
        this.#sending = null;
        if (this.#changed.size > 0 || this.#isRequesting) this.#schedule();
      });
    }, delayMs).unref();
  }

  /** Never rejects. */
  async #send(): Promise<void> {
    const { database, log } = this.#options;
    const isRequest = this.#isRequesting;
    const messages = progressMessages({ from: this.#origin, isRequest, items: this.#takeChanges() });
    if (messages.length === 0) return;
    this.#isRequesting = false;
    try {
      await sendMessages(database.queries, 'progress', messages);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        log('warn', `Progress could not be published to the other daemons: ${String(error)}`);
      this.#hasFailed = true;
      this.#isRequesting ||= isRequest;
      // The next message has what this one had, as it is then.
      this.#publishAll();
    }
  }

  #takeChanges(): ProgressMessage['items'] {
    const { own } = this.#options.progressTracker;
    const jobIds = [...this.#changed];
    this.#changed.clear();
    return jobIds.flatMap((job): ProgressMessage['items'] => {
      const before = this.#published.get(job);
      const now = own.get(job);
      const ended = before !== undefined && before.run !== now?.run;
      const items: ProgressMessage['items'][number][] = ended
        ? [{ job, run: before.run, isEnded: true }]
        : [];
      if (now === undefined) {
        this.#published.delete(job);
        return items;
      }
      const { run } = now;
      const files = new Map(now.files);
      this.#published.set(job, { run, files });
      if (before?.run !== run) items.push({ job, run });
      for (const [id, progress] of files)
        if (before?.run !== run || before.files.get(id) !== progress)
          items.push({ job, run, file: { id, ...progress } });
      return items;
    });
  }

  #nowMs(): number {
    const { elapsedMs = () => performance.now() } = this.#options;
    return elapsedMs();
  }
}
