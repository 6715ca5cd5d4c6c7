import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import type { JobListener } from '../job-store.js';

/** The listeners for job changes. */
export class JobListeners {
  readonly #log: Log;
  /**
   * Each in an object of its own: a listener that was added twice is called twice, and is removed separately.
   */
  #subscriptions: readonly { readonly listener: JobListener }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a listener; the returned function removes it. */
  add(listener: JobListener): () => void {
    const subscription = { listener };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  /**
   * Calls all listeners after a stored change. Errors that they throw are logged and do not affect the
   * others.
   */
  emit(job: Job, before: Job | null): void {
    for (const { listener } of this.#subscriptions) {
      try {
        listener(job, before);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#log('error', `A listener for job changes failed at job ${job.id}: ${why}`, {
          jobId: job.id,
        });
      }
    }
  }
}
