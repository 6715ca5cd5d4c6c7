import type { FollowedProgress } from './job-progress.js';
import type { JobUpdates } from './job-updates.js';
import type { JobEvent } from './read-events.js';

/** What came of one job's stream since the last look. */
export interface StreamUpdate {
  readonly id: number;
  /** The newest event; null where there is none but the end. */
  readonly job: FollowedProgress | null;
  /** The stream is over. */
  readonly hasEnded: boolean;
  /** Milliseconds to leave the service alone then. */
  readonly retryMs: number;
}

interface StreamState {
  latest: FollowedProgress | null;
  hasEnded: boolean;
  retryMs: number;
}

/** What comes within so many milliseconds is taken at once: of many streams each piece alone would cost more than what it brings. */
const batchMs = 100;

/**
 * The streams of several jobs, brought together. Of each job the newest event alone is kept, so that nothing piles up. The end of a
 * stream is told at once, all else ten times a second at most.
 */
export class JobStreams {
  readonly #jobs = new Map<number, StreamState>();
  /** The ids of those that have something to tell. */
  readonly #pendingIds = new Set<number>();
  readonly #eventIds = new Map<number, string>();
  #wake: () => void = () => {};
  #drainedAt = Number.NEGATIVE_INFINITY;
  /** Tells what has come when the time is there. */
  #flushTimer: NodeJS.Timeout | undefined;

  /** Whether a job's stream is open, or has something left to tell. */
  has(id: number): boolean {
    return this.#jobs.has(id);
  }

  /** With which event a job's stream is to be taken up again. */
  eventId(id: number): string | undefined {
    return this.#eventIds.get(id);
  }

  /** Listens to a job's stream from now on. */
  add(id: number, { subscribe }: Extract<JobUpdates, { kind: 'events' }>): void {
    const stream: StreamState = { latest: null, hasEnded: false, retryMs: 0 };
    this.#jobs.set(id, stream);
    const onEvent = ({ job, eventId, retryMs }: JobEvent) => {
      stream.latest = job;
      stream.retryMs = retryMs ?? 0;
      this.#eventIds.set(id, eventId);
      this.#scheduleNotify(id);
    };
    void subscribe(onEvent).then(() => {
      stream.hasEnded = true;
      this.#pendingIds.add(id);
      this.#notify();
    });
  }

  #scheduleNotify(id: number): void {
    this.#pendingIds.add(id);
    if (this.#flushTimer !== undefined) return;
    const waitMs = this.#drainedAt + batchMs - performance.now();
    if (waitMs > 0) this.#flushTimer = setTimeout(() => this.#notify(), waitMs).unref();
    else this.#wake();
  }

  #notify(): void {
    this.#cancelFlush();
    this.#wake();
  }

  #cancelFlush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
  }

  /** Takes what came since the last look. Streams that are over are gone afterwards. */
  drain(): readonly StreamUpdate[] {
    const updates: StreamUpdate[] = [];
    this.#cancelFlush();
    this.#drainedAt = performance.now();
    for (const id of this.#pendingIds) {
      const stream = this.#jobs.get(id);
      if (stream === undefined) continue;
      const { latest, hasEnded, retryMs } = stream;
      updates.push({ id, job: latest, hasEnded, retryMs });
      stream.latest = null;
      if (hasEnded) this.#jobs.delete(id);
    }
    this.#pendingIds.clear();
    return updates;
  }

  /** How many streams are open, or have something left to tell. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Resolves as soon as there is something to take, or after so many milliseconds. One call at a time. */
  async waitForUpdates(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#pendingIds.size > 0 && this.#flushTimer === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (Number.isFinite(withinMs)) timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
  }
}
