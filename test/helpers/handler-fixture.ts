import type { Run, RunHandler } from '../../daemon/jobs/run.js';
import { finishAll } from './sample-job.js';

/** A run that waits on the stage until a test says how it goes on. */
interface RunScenario {
  readonly run: Run;
  /** Lets the handler do this and settle as it settles. Resolves when it did, whichever way. */
  end(action?: (run: Run) => Promise<unknown>): Promise<void>;
}

/**
 * A handler for tests: each run enters, waits, and ends when the test says so, or when its signal is aborted. Keeps
 * a record of who entered and left, in order.
 */
export class HandlerFixture {
  readonly #entered: RunScenario[] = [];
  readonly #waiting: ((scenario: RunScenario) => void)[] = [];
  readonly #active = new Set<number>();
  /** `+ID` for a run that began, `-ID` for one that ended. */
  readonly record: string[] = [];
  /** The most runs that were ever seen at once. */
  maxConcurrent = 0;

  /** Waits for the next run that begins, in the order in which they begin. */
  next(): Promise<RunScenario> {
    const scenario = this.#entered.shift();
    if (scenario !== undefined) return Promise.resolve(scenario);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The handler to give to a queue. */
  readonly handler: RunHandler = async (run) => {
    this.record.push(`+${run.job.id}`);
    this.#active.add(run.job.id);
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#active.size);
    try {
      await this.#run(run);
    } finally {
      this.#active.delete(run.job.id);
      this.record.push(`-${run.job.id}`);
    }
  };

  #run(run: Run): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const stopped = () => reject(run.signal.reason);
      run.signal.addEventListener('abort', stopped);
      this.#publish({
        run,
        end: async (action = finishAll) => {
          run.signal.removeEventListener('abort', stopped);
          const completion = action(run).then(() => {});
          completion.then(resolve, reject);
          await completion.catch(() => {});
        },
      });
    });
  }

  #publish(scenario: RunScenario): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#entered.push(scenario);
    else waiting(scenario);
  }
}
