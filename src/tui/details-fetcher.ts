import type { Client } from '../client/client.js';
import type { PollingSchedule } from '../client/polling-schedule.js';
import { isVencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';

/**
 * Requests the details of jobs, one after the other, within the limits of the polling schedule. The details only add
 * names and sizes to the screen, so jobs whose details are not available are skipped.
 */
export class DetailsFetcher {
  readonly #client: Client;
  readonly #schedule: PollingSchedule;
  readonly #signal: AbortSignal;
  readonly #requestedIds = new Set<number>();
  #wake: () => void = () => {};

  constructor(client: Client, schedule: PollingSchedule, signal: AbortSignal) {
    this.#client = client;
    this.#schedule = schedule;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake());
  }

  /** Queues requests for the details of jobs, without duplicates. */
  request(...ids: readonly number[]): void {
    for (const id of ids) this.#requestedIds.add(id);
    this.#wake();
  }

  /** Yields the responses until the signal aborts. */
  async *results(): AsyncGenerator<JobRecord, void, undefined> {
    while (!this.#signal.aborted) {
      const [id] = this.#requestedIds;
      if (id === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#schedule.waitForSlot(this.#signal);
      this.#requestedIds.delete(id);
      try {
        yield await this.#client.job(id, this.#signal);
      } catch (error) {
        if (this.#signal.aborted || !isVencError(error)) throw error;
      }
    }
  }
}
