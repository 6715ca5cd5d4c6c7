/** Releases a permit. Safe to call more than once. */
export type Release = () => void;

interface Waiter {
  readonly priority: number;
  readonly limit: number;
  readonly grant: (release: Release) => void;
}

/**
 * Limits how many tasks of one kind run concurrently. Waiting tasks are served by priority, lowest number first, and
 * in order of arrival for equal priorities.
 *
 * Not p-limit: it serves only in order of arrival, and waiting tasks cannot be cancelled.
 */
export class Semaphore {
  #permits: number;
  /** The limits of the running tasks. */
  readonly #running = new Set<{ readonly limit: number }>();
  #waiters: readonly Waiter[] = [];

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Changes the number of permits. Tasks that run go on. */
  resize(permits: number): void {
    this.#permits = permits;
    this.#serveNext();
  }

  /** The number of permits. */
  get permits(): number {
    return this.#permits;
  }

  /** The number of tasks that wait for a permit. */
  get waitingCount(): number {
    return this.#waiters.length;
  }

  /**
   * Waits for a permit. While the task has it, no more than `limit` tasks run, itself included. Rejects with the reason of
   * the signal if the signal is aborted.
   */
  acquire(priority = 0, signal?: AbortSignal, limit = Number.POSITIVE_INFINITY): Promise<Release> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    // Those that wait come first: else one with a low limit would wait for ever.
    if (this.#waiters.length === 0 && this.#mayRun(limit)) return Promise.resolve(this.#grantPermit(limit));
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal?.reason);
        this.#serveNext();
      };
      const waiter: Waiter = {
        priority,
        limit,
        grant(release) {
          signal?.removeEventListener('abort', cancel);
          resolve(release);
        },
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiters = [...this.#waiters, waiter].sort((a, b) => a.priority - b.priority);
      this.#serveNext();
    });
  }

  /** Runs a task while holding a permit; settles like the task. Rejects as `acquire` does. */
  async runExclusive<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(0, signal);
    try {
      return await task();
    } finally {
      release();
    }
  }

  #mayRun(limit: number): boolean {
    let permits = Math.min(this.#permits, limit);
    for (const task of this.#running) permits = Math.min(permits, task.limit);
    return this.#running.size < permits;
  }

  #grantPermit(limit: number): Release {
    const task = { limit };
    this.#running.add(task);
    return () => {
      if (this.#running.delete(task)) this.#serveNext();
    };
  }

  #serveNext(): void {
    for (;;) {
      const [first, ...others] = this.#waiters;
      if (first === undefined || !this.#mayRun(first.limit)) return;
      this.#waiters = others;
      first.grant(this.#grantPermit(first.limit));
    }
  }
}

/**
 * Runs `task` on every item, at most `limit` concurrently. Resolves to the results in the order of the items; rejects
 * with the first error.
 *
 * Not p-map: this is the only function needed, and it is on the start-up path of the daemon.
 */
export async function mapWithConcurrency<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** Runs at most one task per key at a time, in the order of the calls. Tasks of different keys run concurrently. */
export class KeyedMutex<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Runs `task` after all earlier tasks of this key have settled; settles like the task. */
  runExclusive<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? task() : before.then(task, task);
    this.#last.set(key, result);
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }

  /** Whether a task of this key is running or waiting. */
  isLocked(key: Key): boolean {
    return this.#last.has(key);
  }

  /** The keys with a running or waiting task. */
  keys(): Iterable<Key> {
    return this.#last.keys();
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
