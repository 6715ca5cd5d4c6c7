import { setMaxListeners } from 'node:events';
import { isVencError } from '../../src/shared/errors.js';
import type { Job } from '../jobs/job.js';
import { describeError } from '../queue/end-of-run.js';
import type { JobStore } from '../store/job-store.js';
import { type DeliveryDeps, deliverOnce } from './deliver-once.js';
import { DeliveryQueue, type QueuedNotification } from './delivery-queue.js';

/** Calls `wake` after so many milliseconds, unless the function that it returns is called before. */
export type SetAlarm = (delayMs: number, wake: () => void) => () => void;

/** What delivering depends on. The poster is closed with the deliverer. */
export interface NotificationDelivererOptions extends DeliveryDeps {
  readonly store: Pick<JobStore, 'get' | 'update' | 'watch' | 'listWithNotifications'>;
  /** A timer that keeps no program alive, where it is left out. */
  readonly alarm?: SetAlarm;
}

/** Delivers notices (contract, section 10): each at least once, whatever becomes of the daemon, or given up after its last attempt. */
export interface NotificationDeliverer {
  /** Takes up what an earlier start left, and from now on whatever becomes due. Returns at once. */
  start(): void;
  /** Ends the attempts under way, whose notices stay due. Resolves when nothing will be asked of the store any more. */
  close(): Promise<void>;
}

/** How long a notice rests whose job could not be read, in milliseconds. */
const unreadableRetryMs = 60_000;
/** The longest that is waited without a look at the clock, which may be set meanwhile. */
const maxWaitMs = 3_600_000;

/** Makes a deliverer. It holds a few words of each notice in memory, and reads the job when the notice goes. */
export function createNotificationDeliverer(options: NotificationDelivererOptions): NotificationDeliverer {
  return new StoreDeliverer(options);
}

class StoreDeliverer implements NotificationDeliverer {
  readonly #options: NotificationDelivererOptions;
  readonly #queue = new DeliveryQueue();
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #unwatch: () => void = () => {};
  #cancelAlarm: () => void = () => {};

  constructor(options: NotificationDelivererOptions) {
    this.#options = options;
    // Every attempt under way listens to it, which Node would take for a leak.
    setMaxListeners(0, this.#closing.signal);
  }

  start(): void {
    // Watched before the earlier ones are read: what comes in between is met twice and lined up once.
    this.#unwatch = this.#options.store.watch((job, before) => this.#onJobChange(job, before));
    this.#track(this.#resume());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    this.#cancelAlarm();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    await this.#options.webhookClient.close();
  }

  async #resume(): Promise<void> {
    try {
      for (const job of await this.#options.store.listWithNotifications()) this.#enqueue(job);
    } catch (error) {
      this.#options.log('error', `Notices of an earlier start cannot be taken up: ${describeError(error)}`);
    }
    this.#send();
  }

  #onJobChange(job: Job, before: Job | null): void {
    const earlier = before?.pendingNotifications ?? [];
    if (job.pendingNotifications === earlier || job.pendingNotifications.length + earlier.length === 0)
      return;
    const ids = new Set(job.pendingNotifications.map(({ id }) => id));
    for (const { id } of earlier) if (!ids.has(id)) this.#queue.remove(id);
    this.#enqueue(job);
    this.#send();
  }

  #enqueue({ id: jobId, pendingNotifications: notifications }: Job): void {
    for (const { id, target, dueAt } of notifications) {
      const address = { origin: originOf(target.url), endpoint: endpointOf(target.url) };
      this.#queue.add({ id, jobId, ...address, dueMs: parseTimeMs(dueAt) });
    }
  }

  /** Sends whatever may go now, and sees to it that the next is thought of in time. */
  #send(): void {
    if (this.#closing.signal.aborted) return;
    const { now, alarm = timer } = this.#options;
    this.#cancelAlarm();
    const nowMs = now().getTime();
    for (let next = this.#queue.next(nowMs); next !== null; next = this.#queue.next(nowMs)) {
      this.#track(this.#deliver(next));
    }
    const dueMs = this.#queue.nextDueMs();
    if (dueMs === null) return;
    this.#cancelAlarm = alarm(Math.min(dueMs - nowMs, maxWaitMs), () => this.#send());
  }

  /** Makes one attempt. Never rejects. */
  async #deliver(queued: QueuedNotification): Promise<void> {
    const { now, log } = this.#options;
    const { signal } = this.#closing;
    let dueMs: number | null = null;
    try {
      const next = await deliverOnce(this.#options, queued, signal);
      dueMs = next === null ? null : parseTimeMs(next.dueAt);
    } catch (error) {
      if (signal.aborted) return;
      log('error', `Notice ${queued.id} of job ${queued.jobId} cannot be looked at: ${describeError(error)}`);
      if (!isVencError(error, 'GoneError')) dueMs = now().getTime() + unreadableRetryMs;
    }
    this.#queue.release(queued, dueMs);
    this.#send();
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }
}

/** Scheme, host and port: all of an address that is no secret for sure, as many have theirs in the path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that is none';
}

/** An address without its query, in which some put what differs from notice to notice. */
function endpointOf(url: string): string {
  return originOf(url) + (URL.canParse(url) ? new URL(url).pathname : '');
}

/** Milliseconds since 1970; what is no time is due at once. */
function parseTimeMs(time: string): number {
  return Date.parse(time) || 0;
}

const timer: SetAlarm = (delayMs, wake) => {
  const timeout = setTimeout(wake, delayMs).unref();
  return () => clearTimeout(timeout);
};
