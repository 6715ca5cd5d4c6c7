import type { Client } from '../client/client.js';
import type { PollingSchedule } from '../client/polling-schedule.js';
import { isVencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';

/**
 * Asks for the details of jobs, one after the other, at the pace the service is owed. They bring nothing but names and sizes to the
 * screen: a job whose details cannot be had is left out.
 */
export class DetailsFetcher {
  readonly #client: Client;
  readonly #pace: PollingSchedule;
  readonly #signal: AbortSignal;
  readonly #requestedIds = new Set<number>();
  #wake: () => void = () => {};

  constructor(client: Client, schedule: PollingSchedule, signal: AbortSignal) {
    this.#client = client;
    this.#pace = schedule;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake());
  }

  /** Has the details of jobs asked for, once for each that is not being waited for already. */
  request(...ids: readonly number[]): void {
    for (const id of ids) this.#requestedIds.add(id);
    this.#wake();
  }

  /** The answers as they come, until the signal ends them. */
  async *results(): AsyncGenerator<JobRecord, void, undefined> {
    while (!this.#signal.aborted) {
      const [id] = this.#requestedIds;
      if (id === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#pace.waitForSlot(this.#signal);
      this.#requestedIds.delete(id);
      try {
        yield await this.#client.job(id, this.#signal);
      } catch (error) {
        if (this.#signal.aborted || !isVencError(error)) throw error;
      }
    }
  }
}
