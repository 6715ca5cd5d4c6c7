import { VencError } from '../../src/shared/errors.js';
import { Semaphore } from '../../src/shared/util/semaphore.js';

/** Seconds after which a client may ask again. */
const retryAfterSeconds = 1;

/** What is limited. */
interface TurnsOptions {
  /** The tasks of one client that run or wait at most. */
  readonly perClient: number;
  /** Why one more is rejected, a sentence. */
  readonly rejection: string;
}

/** Lets each client have one costly task at a time. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #clients = new Map<string, { readonly turn: Semaphore; count: number }>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Runs a task after those of the same client; settles like it. Rejects with `TooManyRequestsError` if too many wait,
   * and with the reason of the signal if it is aborted before the turn comes.
   */
  async run<Result>(
    client: string,
    signal: AbortSignal | undefined,
    task: () => Promise<Result>,
  ): Promise<Result> {
    const own = this.#clients.get(client) ?? { turn: new Semaphore(1), count: 0 };
    if (own.count >= this.#options.perClient) throw this.rejection();
    this.#clients.set(client, own);
    own.count += 1;
    try {
      return await own.turn.runExclusive(task, signal);
    } finally {
      own.count -= 1;
      if (own.count === 0) this.#clients.delete(client);
    }
  }

  /** The error for a task that is one too many. */
  rejection(): VencError {
    return new VencError('TooManyRequestsError', this.#options.rejection, { retryAfterSeconds });
  }
}
