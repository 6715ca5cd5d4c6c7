import { isVencError } from '../../src/shared/errors.js';
import type { JobProgressRecord, LogRecord, QueueRecord } from '../../src/shared/records.js';
import { isFinal, type JobState } from '../../src/shared/states.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import type { Job } from '../jobs/job.js';
import type { JobProgress } from '../jobs/progress.js';
import type { ProgressTracker } from '../queue/progress-tracker.js';
import type { JobStore } from '../store/job-store.js';
import type { LogStore } from '../store/log-store.js';
import { AccountEvent, maxJobsPerEvent } from './account-event.js';
import { EventHub, type Feed, Topic } from './event-hub.js';
import type { LogEvents } from './log-events.js';
import { LogTail } from './log-tail.js';

/** Which jobs a stream is about. Streams with the same ones share their events. */
export interface FollowedJobs {
  /** null for those of all accounts. */
  readonly accountId: string | null;
  /** Whether records have the name of the account. */
  readonly hasAccount: boolean;
  /** Only these ids; null for all. */
  readonly only: readonly number[] | null;
}

/** What a client of a stream asks for. */
interface FollowRequest {
  readonly followed: FollowedJobs;
  /** The job whose log the stream has as well; null for none. */
  readonly logOf: number | null;
  readonly lastEventId: string | null;
}

/** The dependencies and intervals of `AccountEvents`. */
export interface AccountEventsOptions {
  readonly store: Pick<
    JobStore,
    'watch' | 'watchRemoved' | 'get' | 'list' | 'readPosition' | 'reportedPosition' | 'changesSince'
  >;
  readonly progressTracker: Pick<ProgressTracker, 'watch' | 'read'>;
  readonly logs: Pick<LogStore, 'read'>;
  readonly logEvents: Pick<LogEvents, 'subscribe'>;
  /** Makes the record of a job and its current progress. */
  readonly view: (job: Job, progress: JobProgress) => JobProgressRecord;
  /** The name of an account. */
  readonly nameOf: (accountId: string) => string;
  /** The state of the queue for an account; for null that of the whole daemon. */
  readonly readQueue: (accountId: string | null) => QueueRecord;
  /** Calls a listener each time that the queue is paused, or no longer. Returns a function that ends this. */
  readonly watchQueue: (listener: () => void) => () => void;
  /** Minimum interval between two events of a stream, in milliseconds. */
  readonly minIntervalMs?: number;
  /** Interval between two heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
}

const defaultIntervalMs = 500;
/** Active jobs are listed in this order, each state with the newest first. */
const activeStates: readonly JobState[] = ['processing', 'waiting', 'pending'];
const maxConcurrentReads = 8;

/** Event streams of the jobs of an account. Changes are pushed by the store and the progress tracker; nothing is polled. */
export class AccountEvents {
  readonly #hub: EventHub<string, AccountEvent, AccountTopic>;
  readonly #unwatch: readonly (() => void)[];
  readonly #minIntervalMs: number;

  constructor(options: AccountEventsOptions) {
    const { store, progressTracker, watchQueue, heartbeatMs } = options;
    this.#minIntervalMs = options.minIntervalMs ?? defaultIntervalMs;
    // The key of a topic is what it follows.
    const createTopic = (key: string) => new AccountTopic(options, JSON.parse(key) as FollowedJobs);
    this.#hub = new EventHub(createTopic, heartbeatMs);
    this.#unwatch = [
      store.watch((job, before) => this.#forEach((topic) => topic.setJob(job, before))),
      store.watchRemoved({
        onRemoved: (id, accountId) => this.#forEach((topic) => topic.removeJob(id, accountId)),
        onGap: () => this.#forEach((topic) => void topic.catchUp()),
      }),
      progressTracker.watch((jobId) => this.#forEach((topic) => topic.noteProgress(jobId))),
      watchQueue(() => this.#forEach((topic) => topic.noteQueue())),
    ];
  }

  /** The number of subscribers. */
  get listenerCount(): number {
    return this.#hub.listenerCount;
  }

  /**
   * Subscribes to the jobs. The first event has the active jobs or, with the id of an earlier event, what has changed
   * since and the jobs that run. A slow reader gets the newest state of each job. Rejects with `UnavailableError` after
   * `close`. The caller must cancel the feed or read it to its end.
   */
  subscribe({ followed, logOf, lastEventId }: FollowRequest): Promise<Feed<AccountEvent>> {
    const [position = null, lineId = null] = lastEventId ? lastEventId.split('.') : [];
    const minIntervalMs = this.#minIntervalMs;
    let last: { readonly position: string | null; readonly lineId: string | null } = { position, lineId };
    const combine = (waiting: AccountEvent | null, event: AccountEvent) => {
      const whole = waiting === null ? event : waiting.with(event);
      if (whole === null || logOf === null) return whole;
      last = { position: whole.position ?? last.position, lineId: whole.lineId ?? last.lineId };
      return whole.at(last.position, last.lineId);
    };
    return this.#hub.subscribe(JSON.stringify(followed), { combine, minIntervalMs }, (feed, topic) =>
      topic.begin(feed, { position, logOf, lineId }),
    );
  }

  /** Ends every feed. Later subscriptions are rejected. */
  close(): void {
    for (const stop of this.#unwatch) stop();
    this.#hub.close();
  }

  #forEach(act: (topic: AccountTopic) => void): void {
    for (const topic of this.#hub.topics) act(topic);
  }
}

/** Where a client continues. */
interface Continuation {
  readonly position: string | null;
  readonly logOf: number | null;
  readonly lineId: string | null;
}

/** The subscribers of the same jobs. Each change is computed and serialized once, however many subscribers there are. */
class AccountTopic extends Topic<AccountEvent> {
  readonly #options: AccountEventsOptions;
  readonly #followed: FollowedJobs;
  readonly #only: ReadonlySet<number> | null;
  /** The newest version of the jobs that have not ended, as far as they are known, and of those in `#changed`. */
  readonly #jobs = new Map<number, Job>();
  /** The last record of a job that has not ended, as JSON. */
  readonly #records = new Map<number, string>();
  readonly #tails = new Map<Feed<AccountEvent>, LogTail>();
  /** What the next event has. */
  readonly #changed = new Set<number>();
  #removed = new Set<number>();
  /** The state of the queue that subscribers have, as JSON. */
  #queueJson: string | null = null;
  #position: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #emittedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AccountEventsOptions, followed: FollowedJobs) {
    super();
    this.#options = options;
    this.#followed = followed;
    this.#only = followed.only === null ? null : new Set(followed.only);
  }

  /** Gives a feed its first event, and the lines of a log. */
  async begin(feed: Feed<AccountEvent>, { position, logOf, lineId }: Continuation): Promise<void> {
    const first = await this.#firstEvent(position);
    if (logOf === null) return feed.replay([first]);
    const push = (log: readonly LogRecord[]) =>
      feed.push(new AccountEvent({ position: null, log, lineId: log.at(-1)?.id ?? null }));
    const tail = new LogTail(this.#options, logOf, push);
    this.#tails.set(feed, tail);
    feed.replay([first]);
    await tail.begin(lineId);
  }

  override onLeft(feed: Feed<AccountEvent>): void {
    this.#tails.get(feed)?.stop();
    this.#tails.delete(feed);
  }

  override stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Notes a change of a job. */
  setJob(job: Job, before: Job | null): void {
    if (!this.#isFollowed(job.id, job.accountId)) return;
    if (!isFinal(job.state))
      for (const tail of this.#tails.values()) if (tail.jobId === job.id) tail.follow();
    // A notification of a job that has ended was delivered, for example.
    if (isFinal(job.state) && before !== null && before !== job && isFinal(before.state)) return;
    this.#jobs.set(job.id, job);
    this.#changed.add(job.id);
    this.#schedule();
  }

  /** Notes that a job was removed. */
  removeJob(id: number, accountId: string): void {
    if (!this.#isFollowed(id, accountId)) return;
    for (const known of [this.#jobs, this.#records, this.#changed]) known.delete(id);
    this.#removed.add(id);
    this.#schedule();
  }

  /** Notes that the progress of a job has changed. */
  noteProgress(jobId: number): void {
    if (!this.#jobs.has(jobId)) return;
    this.#changed.add(jobId);
    this.#schedule();
  }

  /** Notes that the queue may be paused, or no longer. */
  noteQueue(): void {
    for (const id of this.#jobs.keys()) this.#changed.add(id);
    this.#schedule();
  }

  /** Notes what was changed by other processes and may not have been reported. */
  async catchUp(): Promise<void> {
    try {
      const changes = await this.#changesSince(this.#position);
      if (changes === null) this.publish(await this.#firstEvent(''));
      else for (const id of changes.removed) this.#removed.add(id);
      this.#schedule();
    } catch {
      // Clients subscribe again after their last event.
      for (const feed of this.feeds) feed.end();
    }
  }

  #isFollowed(id: number, ofAccount: string): boolean {
    const { accountId } = this.#followed;
    return (accountId === null || accountId === ofAccount) && (this.#only === null || this.#only.has(id));
  }

  #schedule(): void {
    if (this.#timer !== null || this.feeds.size === 0) return;
    const { minIntervalMs = defaultIntervalMs } = this.#options;
    const waitMs = this.#emittedAtMs + minIntervalMs - performance.now();
    this.#timer = setTimeout(() => this.#emit(), Math.max(0, waitMs));
  }

  /** Publishes what has changed, at most so many jobs. The others follow with the next event. */
  #emit(): void {
    this.#timer = null;
    this.#emittedAtMs = performance.now();
    const jobs = new Map<number, string>();
    for (const id of this.#changed) {
      if (jobs.size === maxJobsPerEvent) break;
      this.#changed.delete(id);
      const job = this.#jobs.get(id);
      if (job === undefined) continue;
      const json = this.#recordOf(job);
      if (json === this.#records.get(id)) continue;
      if (isFinal(job.state)) {
        this.#jobs.delete(id);
        this.#records.delete(id);
      } else this.#records.set(id, json);
      jobs.set(id, json);
    }
    const removed = this.#removed;
    this.#removed = new Set();
    const queue = this.#takeChangedQueue();
    if (this.#changed.size === 0) this.#position = this.#options.store.reportedPosition();
    else this.#schedule();
    if (jobs.size === 0 && removed.size === 0 && queue === null) return;
    this.publish(new AccountEvent({ position: this.#position, queue, jobs, removed }));
  }

  #takeChangedQueue(): QueueRecord | null {
    const queue = this.#options.readQueue(this.#followed.accountId);
    const json = JSON.stringify(queue);
    if (json === this.#queueJson) return null;
    this.#queueJson = json;
    return queue;
  }

  /** What a client needs first that continues after a position; null if it has nothing. */
  async #firstEvent(after: string | null): Promise<AccountEvent> {
    const position = await this.#options.store.readPosition();
    this.#position ??= position;
    const queue = this.#options.readQueue(this.#followed.accountId);
    this.#queueJson ??= JSON.stringify(queue);
    if (this.#only !== null) {
      const { jobs, missing } = await this.#read([...this.#only]);
      return new AccountEvent({ position, queue, jobs: this.#recordsOf(jobs), removed: new Set(missing) });
    }
    const changes = await this.#changesSince(after);
    if (changes !== null && changes.changed.length <= maxJobsPerEvent) {
      const { jobs, missing } = await this.#read(changes.changed);
      const running = await this.#list(['processing']);
      const removed = new Set([...changes.removed, ...missing]);
      return new AccountEvent({
        ...{ position, queue, removed },
        jobs: this.#recordsOf([...running.jobs, ...jobs]),
      });
    }
    const { jobs, total } = await this.#list(activeStates);
    const records = this.#recordsOf(jobs);
    const more = Math.max(0, total - records.size);
    return new AccountEvent({ position, queue, jobs: records, more, isReset: after !== null });
  }

  async #changesSince(position: string | null) {
    if (position === null) return null;
    return this.#options.store.changesSince(position, this.#followed.accountId);
  }

  /** The newest jobs in these states, and the number of all. */
  async #list(
    states: readonly JobState[],
  ): Promise<{ readonly jobs: readonly Job[]; readonly total: number }> {
    const { accountId } = this.#followed;
    const ofAccount = accountId === null ? {} : { accountId };
    const pages = await Promise.all(
      states.map((state) =>
        this.#options.store.list({ ...ofAccount, state, offset: 0, limit: maxJobsPerEvent }),
      ),
    );
    const jobs = pages.flatMap((page) => page.jobs).slice(0, maxJobsPerEvent);
    return { jobs, total: pages.reduce((sum, { total }) => sum + total, 0) };
  }

  /** The jobs with these ids, and the ids without a job of the account. */
  async #read(ids: readonly number[]) {
    const found = await mapWithConcurrency(ids, maxConcurrentReads, (id) => this.#readJob(id));
    const jobs = found.filter((job) => job !== null);
    const missing = ids.filter((_, index) => found[index] === null);
    return { jobs, missing };
  }

  async #readJob(id: number): Promise<Job | null> {
    try {
      const job = await this.#options.store.get(id);
      return job !== null && this.#isFollowed(id, job.accountId) ? job : null;
    } catch (error) {
      if (isVencError(error, 'GoneError')) return null;
      throw error;
    }
  }

  /** The records of jobs as JSON. From now on, the progress of those that have not ended is followed. */
  #recordsOf(jobs: readonly Job[]): ReadonlyMap<number, string> {
    const records = new Map<number, string>();
    for (const job of jobs) {
      const { id } = job;
      const known = this.#jobs.get(id) ?? job;
      if (isFinal(known.state)) {
        records.set(id, this.#recordOf(known));
        continue;
      }
      this.#jobs.set(id, known);
      const last = this.#changed.has(id) ? undefined : this.#records.get(id);
      const json = last ?? this.#recordOf(known);
      // A record that subscribers do not have yet is in the next event.
      if (!this.#changed.has(id)) this.#records.set(id, json);
      records.set(id, json);
    }
    return records;
  }

  #recordOf(job: Job): string {
    const { view, progressTracker, nameOf } = this.#options;
    const account = this.#followed.hasAccount ? { account: nameOf(job.accountId) } : {};
    return JSON.stringify({ id: job.id, ...account, ...view(job, progressTracker.read(job.id)) });
  }
}
