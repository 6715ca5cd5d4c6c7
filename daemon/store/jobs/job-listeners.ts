import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import type { JobListener } from '../job-store.js';

/** Who is told of changes of jobs. */
export class JobListeners {
  readonly #log: Log;
  /** Each in a shell of its own: one that was added twice is told twice, and removed once. */
  #subscriptions: readonly { readonly listener: JobListener }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a listener; the function returned removes it. */
  add(listener: JobListener): () => void {
    const subscription = { listener };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  /** Tells all of a change that is kept. What a listener throws goes to the log and hinders nobody. */
  emit(job: Job, before: Job | null): void {
    for (const { listener } of this.#subscriptions) {
      try {
        listener(job, before);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#log('error', `Somebody who follows the changes of jobs failed at job ${job.id}: ${why}`);
      }
    }
  }
}
