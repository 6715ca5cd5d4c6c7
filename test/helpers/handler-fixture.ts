import type { Run, RunHandler } from '../../daemon/jobs/run.js';
import { currentFreezer, type Freezer } from '../../src/shared/util/freezer.js';
import { finishAll } from './sample-job.js';

/** A run that waits until a test ends it. */
interface RunScenario {
  readonly run: Run;
  /** Stops the programs that the run starts. */
  readonly freezer: Freezer;
  /** Makes the handler execute an action and settle like it. Resolves when the action has settled either way. */
  end(action?: (run: Run) => Promise<unknown>): Promise<void>;
}

/**
 * A queue handler for tests: each run starts and waits until the test ends it or its signal is aborted. Records the order in which
 * runs start and end.
 */
export class HandlerFixture {
  readonly #started: RunScenario[] = [];
  readonly #waiting: ((scenario: RunScenario) => void)[] = [];
  readonly #active = new Set<number>();
  /** `+ID` for a run that started, `-ID` for one that ended. */
  readonly record: string[] = [];
  /** The maximum number of concurrent runs so far. */
  maxConcurrent = 0;

  /** Waits for the next run to start, in order. */
  next(): Promise<RunScenario> {
    const scenario = this.#started.shift();
    if (scenario !== undefined) return Promise.resolve(scenario);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The handler to pass to a queue. */
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
        freezer: currentFreezer(),
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
    if (waiting === undefined) this.#started.push(scenario);
    else waiting(scenario);
  }
}
