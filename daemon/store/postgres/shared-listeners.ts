import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import type { JobListener } from '../job-store.js';
import { JobListeners } from '../jobs/job-file-writer.js';

/** The listeners of a store that several processes share, by the changes that they are called after. */
export class SharedListeners {
  readonly #all: JobListeners;
  readonly #own: JobListeners;
  readonly #others: JobListeners;

  constructor(log: Log) {
    this.#all = new JobListeners(log);
    this.#own = new JobListeners(log);
    this.#others = new JobListeners(log);
  }

  /** Adds a listener for changes by all processes, by this one or by others; the returned function removes it. */
  add(listener: JobListener, by: 'all' | 'own' | 'others'): () => void {
    if (by === 'all') return this.#all.add(listener);
    return (by === 'own' ? this.#own : this.#others).add(listener);
  }

  /** Reports a change by this process. */
  emitOwn(job: Job, before: Job | null): void {
    this.#all.emit(job, before);
    this.#own.emit(job, before);
  }

  /** Reports a change by another process. */
  readonly emitOther = (job: Job, before: Job | null): void => {
    this.#all.emit(job, before);
    this.#others.emit(job, before);
  };
}
