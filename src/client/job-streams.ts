import type { FollowedProgress } from './job-progress.js';
import type { JobEvent, JobUpdates } from './job-updates.js';

/** What one job's stream received since the last `drain`. */
interface StreamUpdate {
  readonly id: number;
  /** The newest event; null if there is none. */
  readonly job: FollowedProgress | null;
  /** The stream is over. */
  readonly hasEnded: boolean;
  /** Milliseconds that the service asks to wait before the next request. */
  readonly retryMs: number;
}

interface StreamState {
  latest: FollowedProgress | null;
  hasEnded: boolean;
  retryMs: number;
}

/**
 * Events of all streams are delivered in batches of this interval: with many streams, a delivery per event costs more
 * than the event.
 */
const batchMs = 100;

/**
 * The open event streams of several jobs. Keeps only the newest event of each job, so memory does not grow. The end of
 * a stream is delivered at once, all else at most ten times per second.
 */
export class JobStreams {
  readonly #jobs = new Map<number, StreamState>();
  /** The ids of the streams that have an update. */
  readonly #pendingIds = new Set<number>();
  readonly #eventIds = new Map<number, string>();
  #wake: () => void = () => {};
  #drainedAt = Number.NEGATIVE_INFINITY;
  #flushTimer: NodeJS.Timeout | undefined;

  /** Whether a job's stream is open, or its end was not removed yet. */
  has(id: number): boolean {
    return this.#jobs.has(id);
  }

  /** The id of the last event, from which a broken stream is resumed. */
  eventId(id: number): string | undefined {
    return this.#eventIds.get(id);
  }

  /** Subscribes to a job's stream. */
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

  /** Removes a stream that has ended. */
  remove(id: number): void {
    this.#jobs.delete(id);
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

  /** Takes the updates since the last call. */
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
    }
    this.#pendingIds.clear();
    return updates;
  }

  /** How many streams are open or not removed yet. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Resolves as soon as there are updates to drain. One call at a time. */
  async waitForUpdates(): Promise<void> {
    if (this.#pendingIds.size > 0 && this.#flushTimer === undefined) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

type Outcome<T> =
  | { readonly source: AsyncIterator<T>; readonly result: IteratorResult<T> }
  | { readonly error: unknown };

/**
 * Yields the values of several async iterators in the order in which they arrive. Each source is advanced only when the
 * consumer has taken its previous value, so a slow consumer slows its sources down. Throws the first error of a source.
 * Does not end the other sources then: the caller aborts what they wait for.
 *
 * Not `Promise.race` over the pending values: each race would add a reaction to the promise of an idle source, which
 * grows without limit while another source is busy.
 */
export async function* mergeIterables<T>(
  sources: readonly AsyncIterator<T>[],
): AsyncGenerator<T, void, undefined> {
  const outcomes: Outcome<T>[] = [];
  let wake = () => {};
  let activeCount = sources.length;
  const advance = (source: AsyncIterator<T>) => {
    const onSettled = (outcome: Outcome<T>) => {
      outcomes.push(outcome);
      wake();
    };
    source.next().then(
      (result) => onSettled({ source, result }),
      (error: unknown) => onSettled({ error }),
    );
  };
  for (const source of sources) advance(source);
  while (activeCount > 0) {
    const outcome = outcomes.shift();
    if (outcome === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    if ('error' in outcome) throw outcome.error;
    if (outcome.result.done === true) activeCount -= 1;
    else {
      yield outcome.result.value;
      advance(outcome.source);
    }
  }
}
