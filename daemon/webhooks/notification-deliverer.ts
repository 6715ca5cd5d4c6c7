import { setMaxListeners } from 'node:events';
import { isVencError } from '../../src/shared/errors.js';
import { isEmailAddress } from '../../src/shared/settings/kinds/text.js';
import { parseUrl } from '../../src/shared/text/url-text.js';
import type { Job } from '../jobs/job.js';
import { dueMsOf } from '../jobs/notifications.js';
import { describeError } from '../queue/job-run.js';
import { retryUntilPersisted, unrefDelay } from '../queue/retry-until-persisted.js';
import type { JobStore } from '../store/job-store.js';
import { type DeliveryDeps, deliverOnce } from './deliver-once.js';
import { DeliveryQueue, type QueuedNotification } from './delivery-queue.js';

/** Calls `wake` after a delay, unless the returned function is called before. */
type SetAlarm = (delayMs: number, wake: () => void) => () => void;

/** The dependencies of a deliverer. It closes the webhook client when it is closed. */
export interface NotificationDelivererOptions extends DeliveryDeps {
  readonly store: Pick<JobStore, 'get' | 'update' | 'watch' | 'listWithNotifications'>;
  /** By default a timer that does not keep the process alive. */
  readonly alarm?: SetAlarm;
}

/**
 * Delivers notifications (contract, section 10): each at least once, even after a restart of the daemon, or
 * gives up after the last attempt.
 */
export interface NotificationDeliverer {
  /**
   * Resumes the pending notifications of an earlier start, and delivers new ones from now on. Returns at
   * once.
   */
  start(): void;
  /** The number of notifications that are not delivered yet. */
  readonly waitingCount: number;
  /** Aborts the running attempts, whose notifications stay due. Resolves when the store is no longer used. */
  close(): Promise<void>;
}

/** Delay before the next attempt if the job could not be read, in milliseconds. */
const unreadableRetryMs = 60_000;
/** Maximum wait without a check of the clock, which may be set meanwhile. */
const maxWaitMs = 3_600_000;

/**
 * Makes a deliverer. It holds little of each notification in memory, and reads the job when the notification
 * is sent.
 */
export function createNotificationDeliverer(options: NotificationDelivererOptions): NotificationDeliverer {
  return new StoreDeliverer(options);
}

/** A clock that lags by more was set back. */
const maxClockErrorMs = 5000;

class StoreDeliverer implements NotificationDeliverer {
  readonly #options: NotificationDelivererOptions;
  readonly #queue = new DeliveryQueue();
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  /** The time of day at the last look, and that of the monotonic clock. */
  #clock = { nowMs: Number.NEGATIVE_INFINITY, atMs: 0 };
  #unwatch: () => void = () => {};
  #cancelAlarm: () => void = () => {};

  constructor(options: NotificationDelivererOptions) {
    this.#options = options;
    // Every running attempt listens to it, which Node would report as a leak.
    setMaxListeners(0, this.#closing.signal);
  }

  get waitingCount(): number {
    return this.#queue.size;
  }

  start(): void {
    // Watches before it reads the earlier ones: a notification in between is seen twice and queued once.
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
    const { store, log } = this.#options;
    try {
      const jobs = await retryUntilPersisted(() => store.listWithNotifications(), {
        signal: this.#closing.signal,
        delay: unrefDelay,
        isTemporary: (error) => isVencError(error, 'UnavailableError'),
        onFailure: (error) =>
          log('warn', `Notifications of an earlier start cannot be resumed yet: ${describeError(error)}`),
      });
      for (const job of jobs ?? []) this.#enqueue(job);
    } catch (error) {
      log('error', `Notifications of an earlier start cannot be resumed: ${describeError(error)}`);
    }
    this.#send();
  }

  #onJobChange(job: Job, before: Job | null): void {
    // If the earlier state is not known, any of its notifications may be new.
    const earlier = before === job ? [] : (before?.pendingNotifications ?? []);
    if (job.pendingNotifications === earlier || job.pendingNotifications.length + earlier.length === 0)
      return;
    const ids = new Set(job.pendingNotifications.map(({ id }) => id));
    for (const { id } of earlier) if (!ids.has(id)) this.#queue.remove(id);
    this.#enqueue(job);
    this.#send();
  }

  #enqueue({ id: jobId, pendingNotifications: notifications }: Job): void {
    const now = this.#options.now();
    for (const notification of notifications) {
      const { id, target } = notification;
      const address = isEmailAddress(target.url)
        ? { origin: mailOrigin, endpoint: mailOrigin }
        : { origin: originOf(target.url), endpoint: endpointOf(target.url) };
      this.#queue.add({ id, jobId, ...address, dueMs: dueMsOf(notification, now) });
    }
  }

  /** Sends all notifications that may be sent now, and sets the timer for the next one. */
  #send(): void {
    if (this.#closing.signal.aborted) return;
    const { now, alarm = timer } = this.#options;
    this.#cancelAlarm();
    const nowMs = now().getTime();
    this.#followClock(nowMs);
    for (let next = this.#queue.next(nowMs); next !== null; next = this.#queue.next(nowMs)) {
      this.#track(this.#deliver(next));
    }
    const dueMs = this.#queue.nextDueMs();
    if (dueMs === null) return;
    this.#cancelAlarm = alarm(Math.min(dueMs - nowMs, maxWaitMs), () => this.#send());
  }

  /** Moves the due times with a clock that was set back, or they would wait until it has caught up. */
  #followClock(nowMs: number): void {
    const elapsedMs = performance.now() - this.#clock.atMs;
    const setBackMs = this.#clock.nowMs + elapsedMs - nowMs;
    this.#clock = { nowMs, atMs: performance.now() };
    if (setBackMs > maxClockErrorMs) this.#queue.shift(-setBackMs);
  }

  /** Makes one attempt. Never rejects. */
  async #deliver(queued: QueuedNotification): Promise<void> {
    const { now, log } = this.#options;
    const { signal } = this.#closing;
    let dueMs: number | null = null;
    try {
      const next = await deliverOnce(this.#options, queued, signal);
      dueMs = next === null ? null : dueMsOf(next, now());
    } catch (error) {
      if (signal.aborted) return;
      log(
        'error',
        `Notification ${queued.id} of job ${queued.jobId} cannot be read: ${describeError(error)}`,
        { jobId: queued.jobId },
      );
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

/** All mails have one queue, because one program sends them. */
const mailOrigin = 'an e-mail address';

/**
 * Scheme, host and port: the only parts of a URL that are certainly no secret, because many URLs have theirs
 * in the path.
 */
function originOf(url: string): string {
  return parseUrl(url)?.origin ?? 'an invalid address';
}

/** A URL without its query, which may differ from notification to notification. */
function endpointOf(url: string): string {
  return originOf(url) + (parseUrl(url)?.pathname ?? '');
}

const timer: SetAlarm = (delayMs, wake) => {
  const timeout = setTimeout(wake, delayMs).unref();
  return () => clearTimeout(timeout);
};
