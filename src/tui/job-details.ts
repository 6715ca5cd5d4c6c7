import type { Client } from '../client/client.js';
import type { Pace } from '../client/polling-schedule.js';
import { isVencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';

/**
 * Asks for the details of jobs, one after the other, at the pace the service is owed. They bring nothing but names and sizes to the
 * screen: a job whose details cannot be had is left out.
 */
export class DetailsDesk {
  readonly #client: Client;
  readonly #pace: Pace;
  readonly #signal: AbortSignal;
  readonly #wanted = new Set<number>();
  #wake: () => void = () => {};

  constructor(client: Client, pace: Pace, signal: AbortSignal) {
    this.#client = client;
    this.#pace = pace;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake());
  }

  /** Has the details of jobs asked for, once for each that is not being waited for already. */
  want(...ids: readonly number[]): void {
    for (const id of ids) this.#wanted.add(id);
    this.#wake();
  }

  /** The answers as they come, until the signal ends them. */
  async *answers(): AsyncGenerator<JobRecord, void, undefined> {
    while (!this.#signal.aborted) {
      const [id] = this.#wanted;
      if (id === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#pace.turn(this.#signal);
      this.#wanted.delete(id);
      try {
        yield await this.#client.job(id, this.#signal);
      } catch (error) {
        if (this.#signal.aborted || !isVencError(error)) throw error;
      }
    }
  }
}
