import { setMaxListeners } from 'node:events';
import { isVencError } from '../../src/shared/errors.js';
import type { Job } from '../jobs/job.js';
import { textOf } from '../queue/end-of-run.js';
import type { JobStore } from '../store/job-store.js';
import { type AttemptDesk, attemptNotice } from './deliver-once.js';
import { type LinedNotice, NoticeLine } from './delivery-queue.js';

/** Calls `wake` after so many milliseconds, unless the function that it returns is called before. */
export type Alarm = (delayMs: number, wake: () => void) => () => void;

/** What delivering depends on. The poster is closed with the deliverer. */
export interface DelivererOptions extends AttemptDesk {
  readonly store: Pick<JobStore, 'get' | 'update' | 'watch' | 'withNotices'>;
  /** A timer that keeps no program alive, where it is left out. */
  readonly alarm?: Alarm;
}

/** Delivers notices (contract, section 10): each at least once, whatever becomes of the daemon, or given up after its last attempt. */
export interface Deliverer {
  /** Takes up what an earlier start left, and from now on whatever becomes due. Returns at once. */
  begin(): void;
  /** Ends the attempts under way, whose notices stay due. Resolves when nothing will be asked of the store any more. */
  close(): Promise<void>;
}

/** How long a notice rests whose job could not be read, in milliseconds. */
const restMs = 60_000;
/** The longest that is waited without a look at the clock, which may be set meanwhile. */
const longestWaitMs = 3_600_000;

/** Makes a deliverer. It holds a few words of each notice in memory, and reads the job when the notice goes. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  return new StoreDeliverer(options);
}

class StoreDeliverer implements Deliverer {
  readonly #options: DelivererOptions;
  readonly #line = new NoticeLine();
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #unwatch: () => void = () => {};
  #cancelAlarm: () => void = () => {};

  constructor(options: DelivererOptions) {
    this.#options = options;
    // Every attempt under way listens to it, which Node would take for a leak.
    setMaxListeners(0, this.#closing.signal);
  }

  begin(): void {
    // Watched before the earlier ones are read: what comes in between is met twice and lined up once.
    this.#unwatch = this.#options.store.watch((job, before) => this.#heed(job, before));
    this.#track(this.#takeUp());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    this.#cancelAlarm();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#options.poster.close();
  }

  async #takeUp(): Promise<void> {
    try {
      for (const job of await this.#options.store.withNotices()) this.#lineUp(job);
    } catch (error) {
      this.#options.log('error', `Notices of an earlier start cannot be taken up: ${textOf(error)}`);
    }
    this.#send();
  }

  #heed(job: Job, before: Job | null): void {
    const earlier = before?.notices ?? [];
    if (job.notices === earlier || job.notices.length + earlier.length === 0) return;
    const ids = new Set(job.notices.map(({ id }) => id));
    for (const { id } of earlier) if (!ids.has(id)) this.#line.remove(id);
    this.#lineUp(job);
    this.#send();
  }

  #lineUp({ id: jobId, notices }: Job): void {
    for (const { id, target, dueAt } of notices) {
      const place = { origin: originOf(target.url), receiver: receiverOf(target.url) };
      this.#line.add({ id, jobId, ...place, dueMs: millisecondsOf(dueAt) });
    }
  }

  /** Sends whatever may go now, and sees to it that the next is thought of in time. */
  #send(): void {
    if (this.#closing.signal.aborted) return;
    const { now, alarm = timer } = this.#options;
    this.#cancelAlarm();
    const nowMs = now().getTime();
    for (let next = this.#line.take(nowMs); next !== null; next = this.#line.take(nowMs)) {
      this.#track(this.#deliver(next));
    }
    const dueMs = this.#line.nextDueMs();
    if (dueMs === null) return;
    this.#cancelAlarm = alarm(Math.min(dueMs - nowMs, longestWaitMs), () => this.#send());
  }

  /** Makes one attempt. Never rejects. */
  async #deliver(lined: LinedNotice): Promise<void> {
    const { now, log } = this.#options;
    const { signal } = this.#closing;
    let dueMs: number | null = null;
    try {
      const next = await attemptNotice(this.#options, lined, signal);
      dueMs = next === null ? null : millisecondsOf(next.dueAt);
    } catch (error) {
      if (signal.aborted) return;
      log('error', `Notice ${lined.id} of job ${lined.jobId} cannot be looked at: ${textOf(error)}`);
      if (!isVencError(error, 'GoneError')) dueMs = now().getTime() + restMs;
    }
    this.#line.release(lined, dueMs);
    this.#send();
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

/** Scheme, host and port: all of an address that is no secret for sure, as many have theirs in the path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that is none';
}

/** An address without its query, in which some put what differs from notice to notice. */
function receiverOf(url: string): string {
  return originOf(url) + (URL.canParse(url) ? new URL(url).pathname : '');
}

/** Milliseconds since 1970; what is no time is due at once. */
function millisecondsOf(time: string): number {
  return Date.parse(time) || 0;
}

const timer: Alarm = (delayMs, wake) => {
  const timeout = setTimeout(wake, delayMs).unref();
  return () => clearTimeout(timeout);
};
